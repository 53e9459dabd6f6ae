// SPDX-License-Identifier: Apache-2.0
//
// xapian_peer: what somebody would write over Xapian for the same job.
//
//   xapian_peer index DB < EVENTS      stemmed words of content and speaker, the record beside them
//   xapian_peer search DB [-n N] QUERY the records of the best N (10), words joined by OR
//   xapian_peer batch DB QUERIES       NDJSON {"qid","query"} in; qid, ref and score out
//
// Weights are Xapian's own BM25 defaults.  Positions are left out (nothing here asks for
// phrases) and the database is compacted: both make it faster.
#include <xapian.h>

#include <fstream>
#include <iostream>
#include <jansson.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

std::string
field(const json_t *rec, const char *name)
{
	const char *s = json_string_value(json_object_get(rec, name));
	return s != nullptr ? s : "";
}

json_t *
parse(const std::string &line)
{
	json_error_t err;
	json_t *rec = json_loadb(line.data(), line.size(), 0, &err);
	if (rec == nullptr)
		throw Xapian::InvalidArgumentError(err.text);
	return rec;
}

void
index_events(const std::string &path)
{
	setenv("XAPIAN_FLUSH_THRESHOLD", "200000", 0);
	const std::string raw = path + ".raw";
	{
		Xapian::WritableDatabase db(raw, Xapian::DB_CREATE_OR_OVERWRITE | Xapian::DB_NO_SYNC);
		Xapian::TermGenerator words;
		words.set_stemmer(Xapian::Stem("english"));
		for (std::string line; std::getline(std::cin, line);) {
			json_t *rec = parse(line);
			Xapian::Document doc;
			words.set_document(doc);
			words.index_text_without_positions(field(rec, "speaker"));
			words.index_text_without_positions(field(rec, "content"));
			doc.set_data(line);
			json_decref(rec);
			db.add_document(doc);
		}
		db.commit();
	}
	Xapian::Database(raw).compact(path);
}

Xapian::MSet
search(Xapian::Database &db, const std::string &text, unsigned limit)
{
	Xapian::QueryParser parser;
	parser.set_database(db);
	parser.set_stemmer(Xapian::Stem("english"));
	parser.set_stemming_strategy(Xapian::QueryParser::STEM_SOME);
	parser.set_default_op(Xapian::Query::OP_OR);
	Xapian::Enquire enquire(db);
	enquire.set_query(parser.parse_query(text, 0));
	return enquire.get_mset(0, limit);
}

void
batch(const std::string &path, const std::string &file, unsigned limit)
{
	Xapian::Database db(path);
	std::ifstream in(file);
	for (std::string line; std::getline(in, line);) {
		json_t *q = parse(line);
		const Xapian::MSet hits = search(db, field(q, "query"), limit);
		for (Xapian::MSetIterator i = hits.begin(); i != hits.end(); ++i) {
			json_t *rec = parse(i.get_document().get_data());
			std::cout << field(q, "qid") << '\t' << field(rec, "ref") << '\t' << i.get_weight() << '\n';
			json_decref(rec);
		}
		json_decref(q);
	}
}

int
run(const std::vector<std::string> &args, unsigned limit)
{
	if (args.size() == 2 && args[0] == "index") {
		index_events(args[1]);
		return 0;
	}
	if (args.size() == 3 && args[0] == "batch") {
		batch(args[1], args[2], limit);
		return 0;
	}
	if (args.size() == 3 && args[0] == "search") {
		Xapian::Database db(args[1]);
		const Xapian::MSet hits = search(db, args[2], limit);
		for (Xapian::MSetIterator i = hits.begin(); i != hits.end(); ++i)
			std::cout << i.get_document().get_data() << '\n';
		return 0;
	}
	std::cerr << "usage: xapian_peer index DB | search DB [-n N] QUERY | batch DB QUERIES\n";
	return 2;
}

} // namespace

int
main(int argc, char **argv)
{
	std::ios::sync_with_stdio(false);
	unsigned limit = 10;
	for (int o; (o = getopt(argc, argv, "n:")) != -1;) {
		if (o != 'n')
			return 2;
		limit = static_cast<unsigned>(std::stoul(optarg));
	}
	try {
		return run({ argv + optind, argv + argc }, limit);
	} catch (const Xapian::Error &e) {
		std::cerr << "xapian_peer: " << e.get_description() << '\n';
		return 3;
	}
}
