export { reviewCharge, reviewDispute, type ReviewDeps } from "./review-charge.ts";
export { sweepReversals } from "./sweep-reversals.ts";
