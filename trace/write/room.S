/*
 * trace/write/room.S - calls a function on another stack
 *
 *	void tap_call_on(void *top, void (*work)(void *argument), void *argument);
 *
 * The frame pointer leads back: unwinders, and a cancellation that goes through here, find the caller on its own stack.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
	.text
	.globl tap_call_on
	.hidden tap_call_on
	.type tap_call_on, %function
tap_call_on:
	.cfi_startproc
#if defined(__x86_64__)
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	movq	%rdi, %rsp
	movq	%rdx, %rdi
	callq	*%rsi
	movq	%rbp, %rsp
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	ret
#elif defined(__aarch64__)
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	mov	x29, sp
	.cfi_def_cfa_register x29
	mov	sp, x0
	mov	x0, x2
	blr	x1
	mov	sp, x29
	.cfi_def_cfa_register sp
	ldp	x29, x30, [sp], #16
	.cfi_def_cfa_offset 0
	.cfi_restore x29
	.cfi_restore x30
	ret
#endif
	.cfi_endproc
	.size tap_call_on, .-tap_call_on
	.section .note.GNU-stack, "", %progbits
