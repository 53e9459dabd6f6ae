/* SPDX-License-Identifier: Apache-2.0 */
/* Whoever links this file links the code that opens libraries. */
#include "model/model_int.h"

void
mem_model_libraries(void)
{
	static void (*volatile linked)(void);
	linked = (void (*)(void))mem_http_open;
	linked = (void (*)(void))mem_http_post;
	linked = (void (*)(void))mem_http_close;
	(void)linked;
	mem_blas_bring();
}
