import { beforeAll, describe, expect, it } from "vitest";
import type { PersonsChat } from "#test/support/chat-platform.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { script } from "#test/support/task-client.ts";
import { newTelegramChannel, type TelegramChannel } from "#test/support/telegram-channel.ts";

const service = sharedService();
let telegram: TelegramChannel;
let chat: PersonsChat;
beforeAll(async () => {
  telegram = await newTelegramChannel(service);
  ({ chat } = await telegram.paired());
});

/** A picture of one pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const bytesOf = (text: string) => Uint8Array.from(new TextEncoder().encode(text));
const pixel = () => Uint8Array.from(Buffer.from(PIXEL, "base64"));

/** What the bot writes, once one of its texts has this in it. */
const told = async (part: string) =>
  chat.until(({ messages }) =>
    messages
      .filter(({ message }) => message.from.id === telegram.botId)
      .map(({ message }) => message.text ?? "")
      .find((text) => text.includes(part)),
  );

/** A recording whose transcript is this text. */
const speak = async (text: string) =>
  chat.sendFile({ kind: "voice", filename: "voice.oga", mimeType: "audio/ogg", bytes: bytesOf(text) });

const writeFile = async (path: string, content: Uint8Array<ArrayBuffer>) => {
  const { projectId, account } = telegram.client;
  const json = { content: Buffer.from(content).toString("base64"), encoding: "base64" };
  const { token } = account;
  const { status, text } = await service.call("PUT", `/api/projects/${projectId}/files/${path}`, {
    token,
    json,
  });
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
};

describe("what a person sends", () => {
  it("as a voice message reaches the model as its text", async () => {
    await speak(script({ text: "I heard every word." }));
    await told("I heard every word.");
    const inbound = (await telegram.messages()).find(({ direction }) => direction === "inbound");
    expect(inbound?.content).toBe(script({ text: "I heard every word." }));
  });

  it("as a picture reaches the model", async () => {
    await chat.sendFile({
      kind: "photo",
      filename: "photo.png",
      mimeType: "image/png",
      bytes: pixel(),
      caption: script({ text: "I see this many pictures: {pictures}." }),
    });
    expect(await told("I see this many pictures")).toBe("I see this many pictures: 1.");
  });

  it("as a document is a file of the project, which the model is shown", async () => {
    await chat.sendFile({
      kind: "document",
      filename: "notes.txt",
      mimeType: "text/plain",
      bytes: bytesOf(script({ text: "I read the notes." })),
    });
    await told("I read the notes.");
    const { projectId, account } = telegram.client;
    const { text } = await service.call("GET", `/api/projects/${projectId}/files/tree`, account);
    expect(text).toMatch(/[0-9a-f]{64}-notes\.txt/u);
  });

  it("is not taken above 25 MB, and the person is told which file", async () => {
    await chat.sendFile({
      kind: "document",
      filename: "film.bin",
      mimeType: "application/octet-stream",
      bytes: new Uint8Array(25_000_001),
    });
    expect(await told("film.bin")).toContain("was not taken: it is larger than 25 MB.");
  });

  it("is not made up when a recording cannot be transcribed", async () => {
    await speak('{"error":{"status":503}}');
    await told("Your voice message was not taken: it could not be transcribed.");
    const inbound = (await telegram.messages()).filter(({ direction }) => direction === "inbound");
    expect(inbound.some(({ content }) => content.includes("503"))).toBe(false);
  });
});

describe("what the agent links to", () => {
  it("arrives as files, after the answer", async () => {
    await writeFile("out/report.txt", bytesOf("All is well."));
    await writeFile("out/chart.png", pixel());
    const text = "Here: ![chart](out/chart.png), [report](out/report.txt), [none](out/none.txt).";
    await chat.say(script({ text }));
    const messages = await chat.until(({ messages: all }) => {
      const own = all.filter(({ message }) => message.from.id === telegram.botId).slice(-3);
      return own.at(-1)?.message.document ? own : undefined;
    });
    expect(messages.map(({ message }) => message)).toMatchObject([
      { text: expect.stringContaining("Here:") },
      { photo: [{ file_size: pixel().byteLength }] },
      { document: { file_name: "report.txt", file_size: 12 } },
    ]);
  });
});
