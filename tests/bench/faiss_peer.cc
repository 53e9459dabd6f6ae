/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faiss_peer: FAISS's IVF1024,Flat over vectors of 384 floats, read by mmap (IO_FLAG_MMAP).
 *
 *   faiss_peer build BASE INDEX
 *   faiss_peer query INDEX QUERIES NUMBER NPROBE    one search; prints the ten nearest
 *   faiss_peer recall INDEX QUERIES TRUTH NPROBE    how many of TRUTH's are found, of a hundred
 */
#include <faiss/IndexIVFFlat.h>
#include <faiss/IndexFlat.h>
#include <faiss/index_io.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr int dims = 384, best = 10;

std::vector<float>
read_floats(const char *path, size_t from = 0, size_t n = SIZE_MAX)
{
	std::ifstream f(path, std::ios::binary | std::ios::ate);
	const size_t have = static_cast<size_t>(f.tellg()) / sizeof(float) - from;
	std::vector<float> v(std::min(n, have));
	f.seekg(static_cast<std::streamoff>(from * sizeof(float)));
	f.read(reinterpret_cast<char *>(v.data()), static_cast<std::streamsize>(v.size() * sizeof(float)));
	return v;
}

void
build(const char *base, const char *to)
{
	const std::vector<float> v = read_floats(base);
	const auto n = static_cast<faiss::Index::idx_t>(v.size() / dims);
	faiss::IndexFlatIP coarse(dims);
	faiss::IndexIVFFlat index(&coarse, dims, 1024, faiss::METRIC_INNER_PRODUCT);
	index.train(std::min<faiss::Index::idx_t>(n, 100000), v.data());
	index.add(n, v.data());
	faiss::write_index(&index, to);
}

faiss::IndexIVFFlat *
open_index(const char *path, const char *nprobe)
{
	auto *index = dynamic_cast<faiss::IndexIVFFlat *>(faiss::read_index(path, faiss::IO_FLAG_MMAP | faiss::IO_FLAG_READ_ONLY));
	if (index == nullptr)
		exit(3);
	index->nprobe = strtoul(nprobe, nullptr, 10);
	return index;
}

}

int
main(int argc, char **argv)
{
	const std::string what = argc > 1 ? argv[1] : "";
	if (what == "build" && argc == 4) {
		build(argv[2], argv[3]);
		return 0;
	}
	if (argc != 6)
		return 2;
	if (what == "query") {
		const std::vector<float> q = read_floats(argv[3], strtoul(argv[4], nullptr, 10) * dims, dims);
		float scores[best];
		faiss::Index::idx_t ids[best];
		open_index(argv[2], argv[5])->search(1, q.data(), best, scores, ids);
		for (int i = 0; i < best; i++)
			printf("%ld %.6f\n", static_cast<long>(ids[i]), static_cast<double>(scores[i]));
		fflush(stdout);
		_Exit(0);
	}
	const std::vector<float> q = read_floats(argv[3]);
	const auto n = static_cast<faiss::Index::idx_t>(q.size() / dims);
	std::vector<float> scores(static_cast<size_t>(n) * best);
	std::vector<faiss::Index::idx_t> ids(scores.size());
	open_index(argv[2], argv[5])->search(n, q.data(), best, scores.data(), ids.data());
	std::ifstream truth(argv[4]);
	size_t found = 0;
	for (size_t i = 0; i < ids.size(); i++) {
		long want = -1;
		truth >> want;
		const auto row = ids.begin() + static_cast<long>(i / best * best);
		found += static_cast<size_t>(std::count(row, row + best, want));
	}
	printf("%.2f\n", 100.0 * static_cast<double>(found) / static_cast<double>(ids.size()));
	return 0;
}
