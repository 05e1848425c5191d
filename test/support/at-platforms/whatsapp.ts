import type { Whatsapp, WhatsappInbound, WhatsappWriting } from "../platforms/whatsapp.ts";
import { type BotThere, counter } from "./bot.ts";

const newNumber = counter("4915770000");

/** WhatsApp, with the number of a business. */
export function botAtWhatsapp(whatsapp: Whatsapp): BotThere {
  let webhook = "";

  async function deliver(message: WhatsappInbound): Promise<void> {
    const { status } = await whatsapp.deliver(webhook, { messages: [message] });
    if (status !== 200) throw new Error(`The webhook returned ${status}`);
  }

  return {
    platform: "whatsapp",
    wish: { credentials: whatsapp.credentials },
    connect({ webhook_url: url }) {
      webhook = url ?? "";
      return Promise.resolve();
    },
    newPerson() {
      const number = newNumber();
      const person = whatsapp.newPerson(`Person ${number}`, { number });
      const write = (writing: WhatsappWriting) => deliver(whatsapp.write(person, writing));
      const sent = () => whatsapp.sent.filter(({ to }) => to === number);
      return {
        dm: {
          say: (text) => write({ text }),
          async send({ bytes, mimeType }, caption) {
            const id = whatsapp.attach(bytes, { mimeType });
            const kind = kindOf(mimeType);
            await write({ file: { kind, id, ...(caption !== undefined && { caption }) } });
          },
          files: () => sent().flatMap(({ file }) => file ?? []),
          shown: () => sent().map(({ text }) => text),
          async allow() {
            const question = sent().findLast(({ buttons }) => buttons.length > 0);
            const [button] = question?.buttons ?? [];
            if (!question || !button) throw new Error("Nothing is asked for");
            await write({ button, replyTo: question.id });
          },
        },
      };
    },
  };
}

function kindOf(mimeType: string) {
  if (mimeType.startsWith("image/")) return "image";
  return mimeType.startsWith("audio/") ? "audio" : "document";
}
