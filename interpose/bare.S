/*
 * interpose/bare.S - provisional functions with a prototype we do not know: note the name, then go to the real one
 *
 * Reached from build/gen/opencl_entries.c with platform << 16 | function index in a scratch register. Argument registers
 * and the caller's stack stay as they are; the real function returns straight to the application.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
	.text
	.globl tap_bare_jump
	.hidden tap_bare_jump
	.type tap_bare_jump, %function
tap_bare_jump:
	.cfi_startproc
#if defined(__x86_64__)
	/* 6 integer registers, rax (vector count of variadic calls), 8 vector registers; rsp is 8 off 16 here */
	subq $200, %rsp
	.cfi_adjust_cfa_offset 200
	movq %rdi, 0(%rsp)
	movq %rsi, 8(%rsp)
	movq %rdx, 16(%rsp)
	movq %rcx, 24(%rsp)
	movq %r8, 32(%rsp)
	movq %r9, 40(%rsp)
	movq %rax, 48(%rsp)
	movups %xmm0, 64(%rsp)
	movups %xmm1, 80(%rsp)
	movups %xmm2, 96(%rsp)
	movups %xmm3, 112(%rsp)
	movups %xmm4, 128(%rsp)
	movups %xmm5, 144(%rsp)
	movups %xmm6, 160(%rsp)
	movups %xmm7, 176(%rsp)
	movl %r11d, %edi
	call tap_bare_call
	movq %rax, %r11
	movq 0(%rsp), %rdi
	movq 8(%rsp), %rsi
	movq 16(%rsp), %rdx
	movq 24(%rsp), %rcx
	movq 32(%rsp), %r8
	movq 40(%rsp), %r9
	movq 48(%rsp), %rax
	movups 64(%rsp), %xmm0
	movups 80(%rsp), %xmm1
	movups 96(%rsp), %xmm2
	movups 112(%rsp), %xmm3
	movups 128(%rsp), %xmm4
	movups 144(%rsp), %xmm5
	movups 160(%rsp), %xmm6
	movups 176(%rsp), %xmm7
	addq $200, %rsp
	.cfi_adjust_cfa_offset -200
	jmp *%r11
#elif defined(__aarch64__)
	/* x0 to x8, link register, q0 to q7 */
	stp x29, x30, [sp, #-224]!
	.cfi_adjust_cfa_offset 224
	.cfi_rel_offset x29, 0
	.cfi_rel_offset x30, 8
	stp x0, x1, [sp, #16]
	stp x2, x3, [sp, #32]
	stp x4, x5, [sp, #48]
	stp x6, x7, [sp, #64]
	str x8, [sp, #80]
	stp q0, q1, [sp, #96]
	stp q2, q3, [sp, #128]
	stp q4, q5, [sp, #160]
	stp q6, q7, [sp, #192]
	mov w0, w16
	bl tap_bare_call
	mov x16, x0
	ldp x0, x1, [sp, #16]
	ldp x2, x3, [sp, #32]
	ldp x4, x5, [sp, #48]
	ldp x6, x7, [sp, #64]
	ldr x8, [sp, #80]
	ldp q0, q1, [sp, #96]
	ldp q2, q3, [sp, #128]
	ldp q4, q5, [sp, #160]
	ldp q6, q7, [sp, #192]
	ldp x29, x30, [sp], #224
	.cfi_adjust_cfa_offset -224
	br x16
#endif
	.cfi_endproc
	.size tap_bare_jump, .-tap_bare_jump
	.section .note.GNU-stack,"",%progbits
