/*
 * interpose/osrt/vfork.S - vfork between two stamps
 *
 * Runs      in the calling thread of the traced program; the child returns first, on the same stack, and calls what it
 *           likes there. So nothing of ours may lie on the stack over the system call (OSRT4 in own.c): the return
 *           address waits in a register that the kernel keeps.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
	.text
	.globl	vfork
	.type	vfork, @function
vfork:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	osrt_vfork_enter
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	.cfi_register %rip, %rdi
	movl	$58, %eax               /* SYS_vfork */
	syscall
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rip, 0
	testq	%rax, %rax
	jz	1f                      /* the child */
	jns	2f
	negl	%eax
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	call	__errno_location@PLT
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	movl	%ecx, (%rax)
	movq	$-1, %rax
2:	pushq	%rax
	.cfi_adjust_cfa_offset 8
	movq	%rax, %rdi
	call	osrt_vfork_leave
	popq	%rax
	.cfi_adjust_cfa_offset -8
1:	ret
	.cfi_endproc
	.size	vfork, . - vfork
#elif defined(__aarch64__)
	.text
	.globl	vfork
	.type	vfork, %function
vfork:
	.cfi_startproc
	stp	x29, x30, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.cfi_rel_offset x30, 8
	bl	osrt_vfork_enter
	ldp	x29, x30, [sp], #16
	.cfi_adjust_cfa_offset -16
	.cfi_restore x30
	mov	x0, #0x4111             /* CLONE_VM | CLONE_VFORK | SIGCHLD */
	mov	x1, sp
	mov	x2, #0
	mov	x3, #0
	mov	x4, #0
	mov	x8, #220                /* SYS_clone; the kernel keeps x30 */
	svc	#0
	cbz	x0, 1f                  /* the child */
	stp	x30, x19, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.cfi_rel_offset x30, 0
	.cfi_rel_offset x19, 8
	mov	x19, x0
	tbz	x0, #63, 2f
	bl	__errno_location
	neg	w1, w19
	str	w1, [x0]
	mov	x19, #-1
2:	mov	x0, x19
	bl	osrt_vfork_leave
	mov	x0, x19
	ldp	x30, x19, [sp], #16
	.cfi_adjust_cfa_offset -16
	.cfi_restore x30
	.cfi_restore x19
1:	ret
	.cfi_endproc
	.size	vfork, . - vfork
#endif
	.section .note.GNU-stack, "", @progbits
