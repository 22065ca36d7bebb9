# The first code of the executable for old systems. It removes the variables from the environment that would configure the
# runtime: BUN_*, JSC_* and NODE_*. Then it jumps to the start of the runtime. It preserves rdx and rsp, which the start needs.
# The build adds the jump at the end.
.intel_syntax noprefix
        mov     rcx, [rsp]              # the number of arguments
        lea     rsi, [rsp + rcx*8 + 16] # after the arguments and a null pointer: the variables
        mov     rdi, rsi
next:   mov     rax, [rsi]
        add     rsi, 8
        test    rax, rax
        jz      done
        mov     ecx, [rax]              # its first four bytes
        cmp     ecx, 0x5f4e5542         # BUN_
        je      next
        cmp     ecx, 0x5f43534a         # JSC_
        je      next
        cmp     ecx, 0x45444f4e         # NODE
        jne     keep
        cmp     byte ptr [rax + 4], 0x5f # _
        je      next
keep:   mov     [rdi], rax
        add     rdi, 8
        jmp     next
done:   mov     [rdi], rax              # a null pointer ends the variables
