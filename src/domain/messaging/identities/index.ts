export {
  forgetCode,
  listIdentities,
  newPairingCode,
  unlinkIdentity,
  verifyPairing,
  type PairingConfig,
} from "./pairing.ts";
export { identityOf, type Identity } from "./queries.ts";
