/*
 * interpose/seccomp.S - prctl and syscall: notice that the program is about to install a seccomp filter, to forbid the
 * processor's counter, or to leave
 *
 * Both end in a jump to the real function with all registers as they came. From the first filter on the shim makes no new
 * kind of system call. C side: seccomp.c, exec.c.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/syscall.h>
#define PR_SET_SECCOMP 22
#define PR_SET_TSC 26

#if defined(__x86_64__)

#ifdef __CET__
#include <cet.h>
#else
#define _CET_ENDBR
#endif

	.macro TELL function            /* keeps the six argument registers and rax (the vector count of a variadic call) */
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%r8
	pushq	%r9
	pushq	%rax
	.cfi_adjust_cfa_offset 56
	call	\function
	popq	%rax
	popq	%r9
	popq	%r8
	popq	%rcx
	popq	%rdx
	popq	%rsi
	popq	%rdi
	.cfi_adjust_cfa_offset -56
	.endm

	.macro GO real
8:	movq	\real(%rip), %r11
	testq	%r11, %r11
	jz	9f
	jmp	*%r11
9:	TELL	tap_seccomp_init        /* before our constructor */
	jmp	*\real(%rip)
	.endm

	.text
	.globl	prctl
	.type	prctl, @function
	.p2align 4
prctl:
	.cfi_startproc
	_CET_ENDBR
	cmpl	$PR_SET_SECCOMP, %edi
	je	7f
	cmpl	$PR_SET_TSC, %edi
	jne	8f
7:	TELL	tap_seccomp_tell
	GO	tap_real_prctl
	.cfi_endproc
	.size	prctl, .-prctl

	.globl	syscall
	.type	syscall, @function
	.p2align 4
syscall:
	.cfi_startproc
	_CET_ENDBR
	cmpq	$SYS_seccomp, %rdi
	je	7f
	cmpq	$SYS_prctl, %rdi
	je	6f
	cmpq	$SYS_exit_group, %rdi
	je	5f
	cmpq	$SYS_execve, %rdi
	je	5f
	cmpq	$SYS_execveat, %rdi
	jne	8f
5:	TELL	tap_syscall_leaves
	jmp	8f
6:	cmpl	$PR_SET_SECCOMP, %esi
	je	7f
	cmpl	$PR_SET_TSC, %esi
	jne	8f
7:	TELL	tap_seccomp_tell
	GO	tap_real_syscall
	.cfi_endproc
	.size	syscall, .-syscall

#elif defined(__aarch64__)

	.macro TELL function
	stp	x29, x30, [sp, #-80]!
	.cfi_adjust_cfa_offset 80
	.cfi_rel_offset x30, 8
	stp	x0, x1, [sp, #16]
	stp	x2, x3, [sp, #32]
	stp	x4, x5, [sp, #48]
	stp	x6, x7, [sp, #64]
	bl	\function
	ldp	x0, x1, [sp, #16]
	ldp	x2, x3, [sp, #32]
	ldp	x4, x5, [sp, #48]
	ldp	x6, x7, [sp, #64]
	ldp	x29, x30, [sp], #80
	.cfi_restore x30
	.cfi_adjust_cfa_offset -80
	.endm

	.macro GO real
8:	adrp	x16, \real
	ldr	x16, [x16, #:lo12:\real]
	cbz	x16, 9f
	br	x16
9:	TELL	tap_seccomp_init        /* before our constructor */
	adrp	x16, \real
	ldr	x16, [x16, #:lo12:\real]
	br	x16
	.endm

	.text
	.globl	prctl
	.type	prctl, %function
	.p2align 4
prctl:
	.cfi_startproc
	hint	#34                     /* bti c */
	cmp	w0, #PR_SET_SECCOMP
	b.eq	7f
	cmp	w0, #PR_SET_TSC
	b.ne	8f
7:	TELL	tap_seccomp_tell
	GO	tap_real_prctl
	.cfi_endproc
	.size	prctl, .-prctl

	.globl	syscall
	.type	syscall, %function
	.p2align 4
syscall:
	.cfi_startproc
	hint	#34                     /* bti c */
	mov	x9, #SYS_seccomp
	cmp	x0, x9
	b.eq	7f
	cmp	x0, #SYS_prctl
	b.eq	6f
	cmp	x0, #SYS_exit_group
	b.eq	5f
	cmp	x0, #SYS_execve
	b.eq	5f
	cmp	x0, #SYS_execveat
	b.ne	8f
5:	TELL	tap_syscall_leaves
	b	8f
6:	cmp	w1, #PR_SET_SECCOMP
	b.eq	7f
	cmp	w1, #PR_SET_TSC
	b.ne	8f
7:	TELL	tap_seccomp_tell
	GO	tap_real_syscall
	.cfi_endproc
	.size	syscall, .-syscall

#endif

	.hidden	tap_real_prctl
	.hidden	tap_real_syscall
	.hidden	tap_seccomp_tell
	.hidden	tap_syscall_leaves
	.hidden	tap_seccomp_init
	.section .note.GNU-stack, "", %progbits
