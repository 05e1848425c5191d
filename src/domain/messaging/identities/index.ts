export {
  forgetCode,
  listIdentities,
  newPairingCode,
  previewPairing,
  unlinkIdentity,
  verifyPairing,
  type PairingConfig,
} from "./pairing.ts";
export { carries, linkCounts, mayWrite } from "./queries/link-rules.ts";
export {
  cardOfChannel,
  linkIn,
  type ChannelCard,
  type Identity,
  type ShownIdentity,
} from "./queries/identities.ts";
export { belongsTo, maskedAddress } from "./belongs-to.ts";
