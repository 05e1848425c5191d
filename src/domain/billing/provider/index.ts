export { makeOnce } from "./make-once.ts";
export { requirePayments } from "./require-payments.ts";
export { sweepEach } from "./sweep-each.ts";
