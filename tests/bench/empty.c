/* SPDX-License-Identifier: Apache-2.0 */
/* The least that a process can do: what starting one costs. */

int
main(void)
{
	return 0;
}
