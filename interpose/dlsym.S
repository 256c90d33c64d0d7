/*
 * interpose/dlsym.S - dlsym and dlvsym as the application sees them
 *
 * Both end in a jump to the real function unless the answer is ours: glibc takes the return address for the caller, and
 * RTLD_NEXT and RTLD_DEFAULT mean different things to different callers. Names that begin neither with "cl" or "cup" nor as the few
 * functions that an older C library lacks ("pi", "ex") pass at the cost of four comparisons: the fourth finds a handle that was not
 * asked last time, through which a library may be called that nobody has looked at yet.
 *
 * C side: struct tap_answer tap_dlsym_answer(handle, name, version, caller), tap_dlsym_seen(handle), tap_dlsym_init() in dlsym.c.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)

#ifdef __CET__
#include <cet.h>
#else
#define _CET_ENDBR
#endif

	/* The caller's arguments, and a stack that is aligned for a call */
	.macro SAVE
	subq	$24, %rsp
	.cfi_adjust_cfa_offset 24
	movq	%rdi, (%rsp)
	movq	%rsi, 8(%rsp)
	movq	%rdx, 16(%rsp)
	.endm
	.macro RESTORE
	movq	(%rsp), %rdi
	movq	8(%rsp), %rsi
	movq	16(%rsp), %rdx
	addq	$24, %rsp
	.cfi_adjust_cfa_offset -24
	.endm

	/* name: exported function; real: where its real address stands; version: how to load the third argument of the C side */
	.macro LOOKUP name, real, version:vararg
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	_CET_ENDBR
	testq	%rsi, %rsi
	jz	1f
	cmpb	$'c', (%rsi)
	jne	5f
	cmpb	$'l', 1(%rsi)
	je	2f
	cmpb	$'u', 1(%rsi)                   /* cuptiSubscribe */
	jne	1f
	cmpb	$'p', 2(%rsi)
	je	2f
1:	cmpq	%rdi, tap_seen_handle(%rip)
	jne	7f
9:	movq	\real(%rip), %rax
	testq	%rax, %rax
	jz	3f
	jmp	*%rax
2:	SAVE
	\version
	movq	24(%rsp), %rcx                  /* return address: the caller */
	call	tap_dlsym_answer
	movq	%rdx, %rcx
	RESTORE
	testq	%rcx, %rcx
	jz	1b
	ret
3:	SAVE
	call	tap_dlsym_init
	RESTORE
	movq	\real(%rip), %rax
	testq	%rax, %rax
	jz	4f
	jmp	*%rax
4:	ret                                     /* no dlsym anywhere: nothing can be found */
5:	cmpb	$'p', (%rsi)                    /* pidfd_spawn */
	jne	6f
	cmpb	$'i', 1(%rsi)
	je	2b
6:	cmpb	$'e', (%rsi)                    /* execveat */
	jne	1b
	cmpb	$'x', 1(%rsi)
	je	2b
	jmp	1b
7:	leaq	1(%rdi), %rax                   /* RTLD_DEFAULT, RTLD_NEXT: no handle */
	cmpq	$1, %rax
	jbe	9b
	SAVE
	call	tap_dlsym_seen
	RESTORE
	jmp	9b
	.cfi_endproc
	.size	\name, .-\name
	.endm

	.text
	LOOKUP	dlsym, tap_real_dlsym, xorl %edx, %edx
	LOOKUP	dlvsym, tap_real_dlvsym, nop

#elif defined(__aarch64__)

	.macro SAVE
	stp	x29, x30, [sp, #-48]!
	.cfi_def_cfa_offset 48
	.cfi_offset x29, -48
	.cfi_offset x30, -40
	stp	x0, x1, [sp, #16]
	str	x2, [sp, #32]
	.endm
	.macro RESTORE
	ldp	x0, x1, [sp, #16]
	ldr	x2, [sp, #32]
	ldp	x29, x30, [sp], #48
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	.endm

	.macro LOOKUP name, real, version:vararg
	.globl	\name
	.type	\name, %function
	.p2align 4
\name:
	.cfi_startproc
	hint	#34                             /* bti c */
	cbz	x1, 1f
	ldrb	w9, [x1]
	cmp	w9, #'c'
	b.ne	5f
	ldrb	w9, [x1, #1]
	cmp	w9, #'l'
	b.eq	2f
	cmp	w9, #'u'                        /* cuptiSubscribe */
	b.ne	1f
	ldrb	w9, [x1, #2]
	cmp	w9, #'p'
	b.eq	2f
1:	adrp	x16, tap_seen_handle
	ldr	x16, [x16, #:lo12:tap_seen_handle]
	cmp	x16, x0
	b.ne	7f
9:	adrp	x16, \real
	ldr	x16, [x16, #:lo12:\real]
	cbz	x16, 3f
	br	x16
2:	SAVE
	\version
	mov	x3, x30                         /* return address: the caller */
	bl	tap_dlsym_answer
	mov	x9, x1
	mov	x10, x0
	RESTORE
	cbz	x9, 1b
	mov	x0, x10
	ret
3:	SAVE
	bl	tap_dlsym_init
	RESTORE
	adrp	x16, \real
	ldr	x16, [x16, #:lo12:\real]
	cbz	x16, 4f
	br	x16
4:	mov	x0, #0                          /* no dlsym anywhere: nothing can be found */
	ret
5:	cbz	w9, 1b
	ldrb	w10, [x1, #1]
	cmp	w9, #'p'                        /* pidfd_spawn */
	mov	w11, #'i'                       /* ccmp takes no letter: numbers to 31 */
	ccmp	w10, w11, #0, eq
	b.eq	2b
	cmp	w9, #'e'                        /* execveat */
	mov	w11, #'x'
	ccmp	w10, w11, #0, eq
	b.eq	2b
	b	1b
7:	add	x9, x0, #1                      /* RTLD_DEFAULT, RTLD_NEXT: no handle */
	cmp	x9, #1
	b.ls	9b
	SAVE
	bl	tap_dlsym_seen
	RESTORE
	b	9b
	.cfi_endproc
	.size	\name, .-\name
	.endm

	.text
	LOOKUP	dlsym, tap_real_dlsym, mov x2, #0
	LOOKUP	dlvsym, tap_real_dlvsym, nop

#else
#error "gputap traces x86-64 and aarch64"
#endif

	.hidden	tap_real_dlsym
	.hidden	tap_real_dlvsym
	.hidden	tap_dlsym_answer
	.hidden	tap_dlsym_init
	.hidden	tap_dlsym_seen
	.hidden	tap_seen_handle
	.section .note.GNU-stack, "", %progbits
