/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX: protobuf. */
#include "weights_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	weights_fuzz(data, size);
	return 0;
}
