export { fillPools, type FillConfig } from "./fill-pools.ts";
export { charge } from "./queries/charge.ts";
export {
  grantBonus,
  isFunded,
  isOfPlatform,
  openingCredits,
  payerById,
  type OpeningConfig,
} from "./queries/pools.ts";
export {
  adoptReservations,
  releaseExpired,
  releaseReservation,
  renewReservation,
  reserveCredits,
  type TaskOfTurn,
} from "./queries/reservations.ts";
export { readBalance, type Balance } from "./read-balance.ts";
export { usableBonus } from "./usable-bonus.ts";
