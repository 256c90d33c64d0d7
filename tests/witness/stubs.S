/*
 * tests/witness/stubs.S - a stub for each place: says its number and who called, then goes on to the function as it came
 *
 * Registers and stack are as they were, so one stub does for every prototype (none of OpenCL's has floating arguments).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define PLACES 256
#define STUB 16         /* bytes of each */

	.text
	.globl witness_stubs
	.hidden witness_stubs
	.p2align 4
#if defined(__x86_64__)
	.cfi_startproc
witness_stubs:
	.set place, 0
	.rept PLACES
	.p2align 4
	.cfi_def_cfa_offset 8
	endbr64
	pushq $place
	.cfi_adjust_cfa_offset 8
	jmp count
	.set place, place + 1
	.endr
count:
	.irp register, rax, rdi, rsi, rdx, rcx, r8, r9
	push %\register
	.cfi_adjust_cfa_offset 8
	.endr
	mov 56(%rsp), %rdi
	mov 64(%rsp), %rsi
	sub $8, %rsp
	.cfi_adjust_cfa_offset 8
	call witness_count
	mov %rax, %r11
	add $8, %rsp
	.cfi_adjust_cfa_offset -8
	.irp register, r9, r8, rcx, rdx, rsi, rdi, rax
	pop %\register
	.cfi_adjust_cfa_offset -8
	.endr
	add $8, %rsp
	.cfi_adjust_cfa_offset -8
	jmp *%r11
	.cfi_endproc
#elif defined(__aarch64__)
	.cfi_startproc
witness_stubs:
	.set place, 0
	.rept PLACES
	.p2align 4
	hint #34
	mov x16, #place
	b count
	.set place, place + 1
	.endr
count:
	stp x29, x30, [sp, #-96]!
	.cfi_def_cfa_offset 96
	.cfi_offset 29, -96
	.cfi_offset 30, -88
	stp x0, x1, [sp, #16]
	stp x2, x3, [sp, #32]
	stp x4, x5, [sp, #48]
	stp x6, x7, [sp, #64]
	str x8, [sp, #80]
	mov x0, x16
	mov x1, x30
	bl witness_count
	mov x17, x0
	ldp x0, x1, [sp, #16]
	ldp x2, x3, [sp, #32]
	ldp x4, x5, [sp, #48]
	ldp x6, x7, [sp, #64]
	ldr x8, [sp, #80]
	ldp x29, x30, [sp], #96
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	br x17
	.cfi_endproc
#endif
	.section .note.GNU-stack, "", %progbits
