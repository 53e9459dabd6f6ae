/* SPDX-License-Identifier: Apache-2.0 */
/* Links the code that opens libcurl and OpenBLAS into commands that call it. */
#include "model/model_int.h"

void
mem_link_curl_and_blas(void)
{
	static void (*volatile linked)(void);
	linked = (void (*)(void))model_http_open;
	linked = (void (*)(void))model_http_post;
	linked = (void (*)(void))model_http_close;
	(void)linked;
	mem_link_blas();
}
