import type { SlackMock, SlackUser } from "../platforms/slack.ts";
import { type BotThere, type ChatThere, counter, type FileThere } from "./bot.ts";

const newName = counter("PERSON");
const newChannel = counter("C0GROUP");

/** Slack, with a bot whose events come by webhook. */
export function botAtSlack(slack: SlackMock): BotThere {
  const { bot_token, signing_secret } = slack.credentials;

  function chatOf(author: SlackUser, channelId: string): ChatThere {
    const isDirect = channelId.startsWith("D");
    let threadTs: string | undefined;
    const sent = () => slack.sent(channelId, threadTs);
    async function write(text: string, files: readonly FileThere[]): Promise<void> {
      const said = isDirect ? text : `<@${slack.bot.id}> ${text}`;
      const thread = threadTs === undefined ? {} : { threadTs };
      const { ts, answers } = await slack.say({ channelId, text: said, author, files, ...thread });
      const refused = answers.find((answer) => answer !== undefined && answer.status !== 200);
      if (refused) throw new Error(`The webhook returned ${refused.status}: ${refused.body}`);
      if (!isDirect) threadTs ??= ts;
    }

    return {
      say: (text) => write(text, []),
      send: (file, text = "") => write(text, [file]),
      files: () => sent().flatMap(({ files }) => files),
      shown: () => sent().map(({ text }) => text),
      async allow() {
        const message = sent().findLast(({ blocks }) =>
          blocks.some(({ elements = [] }) => elements.length > 0),
        );
        const button = message?.blocks.flatMap(({ elements = [] }) => elements)[0];
        if (!message || !button) throw new Error("Nothing is asked for");
        await slack.press(message, button.value ?? "", author);
      },
    };
  }

  return {
    platform: "slack",
    wish: { credentials: { bot_token, signing_secret } },
    connect({ webhook_url: url }) {
      slack.webhookUrl = url ?? undefined;
      return Promise.resolve();
    },
    newPerson() {
      const author = slack.person(newName());
      const channelId = author.id.replace(/^U/u, "D");
      slack.addChannel(channelId);
      return {
        dm: chatOf(author, channelId),
        group: () => chatOf(author, newChannel()),
      };
    },
  };
}
