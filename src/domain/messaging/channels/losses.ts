import type { ChannelLoss } from "./queries.ts";

/** Why a channel does not work, as a sentence that says what to do. People read it who are not the channel's owner, too. */
export const LOSS_SENTENCES: Readonly<Record<ChannelLoss, string>> = {
  deleted: "The channel was deleted",
  project_deleted: "The channel's project was deleted: its owner can choose another project",
  access_lost:
    "The channel's owner may no longer manage channels in its project: the owner can choose another project",
  account_disabled: "The account of the channel's owner was disabled",
  handed_over:
    "The account of the channel was proved to be another person's: its owner can make it active again",
};
