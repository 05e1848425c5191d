// What signal-cli tells of a message, as its JSON output has it: https://github.com/AsamK/signal-cli, src/main/java/org/asamk/signal/json.

/** A person who uses Signal. */
export interface SignalPerson {
  uuid: string;
  /** Null for people who hide it. */
  number: string | null;
  name: string;
}

/** What a person writes. */
export interface SignalWriting {
  text?: string;
  /** As signal-cli names groups: 32 bytes in base64. */
  groupId?: string;
  /** Ids of files that the bridge has. */
  attachments?: readonly { id: string; contentType: string; filename: string | null; size: number }[];
  quote?: { timestamp: number; author: SignalPerson; text: string };
  /** Of people whom the text mentions, each by one replacement character. */
  mentions?: readonly { person: SignalPerson; at: number }[];
  /** A reaction instead of a text. */
  reaction?: { emoji: string; author: SignalPerson; timestamp: number };
}

/** The notification of one message, as `{envelope, account}`. */
export function receivedMessage(
  from: SignalPerson,
  writing: SignalWriting,
  { account, timestamp }: { account: string; timestamp: number },
): Readonly<Record<string, unknown>> {
  const { text, groupId, attachments, quote, mentions, reaction } = writing;
  return {
    envelope: {
      ...sourceOf(from),
      timestamp,
      serverReceivedTimestamp: timestamp + 5,
      serverDeliveredTimestamp: timestamp + 9,
      dataMessage: {
        timestamp,
        message: text ?? null,
        expiresInSeconds: 0,
        isExpirationUpdate: false,
        viewOnce: false,
        ...(reaction && { reaction: reactionOf(reaction) }),
        ...(quote && {
          quote: { id: quote.timestamp, ...authorOf(quote.author), text: quote.text, attachments: [] },
        }),
        ...(mentions && {
          mentions: mentions.map(({ person: { name, number, uuid }, at }) => ({
            name,
            number,
            uuid,
            start: at,
            length: 1,
          })),
        }),
        ...(attachments && { attachments }),
        ...(groupId && { groupInfo: { groupId, groupName: "Group", revision: 1, type: "DELIVER" } }),
      },
    },
    account,
  };
}

function sourceOf({ uuid, number, name }: SignalPerson): object {
  return {
    source: number ?? uuid,
    sourceNumber: number,
    sourceUuid: uuid,
    sourceName: name,
    sourceDevice: 1,
  };
}

function authorOf({ uuid, number }: SignalPerson): object {
  return { author: number ?? uuid, authorNumber: number, authorUuid: uuid };
}

function reactionOf({ emoji, author, timestamp }: NonNullable<SignalWriting["reaction"]>): object {
  return {
    emoji,
    targetAuthor: author.number ?? author.uuid,
    targetAuthorNumber: author.number,
    targetAuthorUuid: author.uuid,
    targetSentTimestamp: timestamp,
    isRemove: false,
  };
}
