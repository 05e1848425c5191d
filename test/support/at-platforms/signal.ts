import type { SignalBridge, SignalPerson, SignalWriting } from "../platforms/signal.ts";
import { type BotThere, type ChatThere, counter } from "./bot.ts";

const newNumber = counter("+4915770000");

/** Signal, with a bridge that hands messages over by a WebSocket. */
export function botAtSignal(bridge: SignalBridge): BotThere {
  const { account } = bridge;

  function chatOf(
    person: SignalPerson,
    group: { groupId: string; recipient: string } | undefined,
  ): ChatThere {
    const recipient = group?.recipient ?? person.uuid;
    function write(text: string, attachments: SignalWriting["attachments"] = []): Promise<void> {
      bridge.write(
        person,
        group
          ? {
              text: `\uFFFC ${text}`,
              groupId: group.groupId,
              mentions: [{ person: account, at: 0 }],
              attachments,
            }
          : { text, attachments },
      );
      return Promise.resolve();
    }
    const sent = () => bridge.sent.filter((each) => each.recipient === recipient);
    return {
      say: (text) => write(text),
      send: ({ bytes, mimeType: contentType, filename }, text = "") =>
        write(text, [bridge.attach(bytes, { contentType, filename })]),
      files: () => sent().flatMap(({ attachments }) => attachments),
      shown: () => sent().map(({ text }) => text),
      allow: () => write("/approve"),
    };
  }

  return {
    platform: "signal",
    wish: { credentials: { signal_cli_url: bridge.url, phone_number: account.number } },
    connect: () => bridge.listened(),
    newPerson() {
      const person = bridge.newPerson("Ann", newNumber());
      return { dm: chatOf(person, undefined), group: () => chatOf(person, bridge.newGroup()) };
    },
  };
}
