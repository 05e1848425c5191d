import { expect, it } from "vitest";
import type { Place } from "#src/channels/channel.ts";
import { cli, parseFrame } from "#src/channels/cli/index.ts";
import { adapters } from "#src/channels/index.ts";
import { apiContract } from "../api-contract.ts";
import { channelContract } from "../contract.ts";
import { dm, environmentOf, failureOf, outgoingText } from "../environment.ts";

const secrets = { credentials: {}, webhookSecret: "secret" };

channelContract({
  adapter: cli,
  secrets,
  missing: secrets,
  wrong: secrets,
  bodies: ['{"type":"message","text":"hi"}'],
  headers: {},
  sign: undefined,
  signs: { body: false, time: false },
});

it.each([
  ['{"type":"message","text":"hi"}', "hi"],
  ['{"text":" hi "}', "hi"],
  ['{"message":"hi"}', "hi"],
  ["hi", "hi"],
  ["hi\u0007 {x", "hi {x"],
  ["17", "17"],
  ['{"type":"ping"}', ""],
  ['{"type":"message","text":5}', ""],
  ["", ""],
])("the frame %j says %j", (frame, text) => {
  expect(parseFrame(frame)).toBe(text);
});

const USER = "0197d3a0-0000-7000-8000-000000000001";

apiContract({
  label: "command line",
  render: (markdown) => adapters.cli.render(markdown),
  reads: ({ plain }) => plain,
  has: ["threads", "replies"],
  async start() {
    const frames: { userId: string; frame: Readonly<Record<string, unknown>> }[] = [];
    const terminals = {
      push: async (userId: string, frame: Readonly<Record<string, unknown>>) =>
        frames.push({ userId, frame: structuredClone(frame) }),
    };
    const shown = ({ chatId, threadId }: Place) =>
      frames
        .filter(({ userId, frame }) => userId === chatId && frame["project_id"] === threadId)
        .map(({ frame }) => frame)
        .filter(({ type }) => type === "message" || type === "approval");
    return {
      api: adapters.cli.api({}, environmentOf({ terminals })),
      secrets: [],
      place: dm(USER),
      thread: { ...dm(USER), threadId: "project-1" },
      message: { messageId: "cli-1", sender: { id: USER, alternateId: undefined, name: "Ann" } },
      texts: (place) =>
        shown(place).map(({ text, reply_to: replyTo }) => ({
          text: String(text),
          replyTo: typeof replyTo === "string" ? replyTo : undefined,
        })),
      files: (place) =>
        shown(place).flatMap(({ file }) =>
          file instanceof Object && "base64" in file ? [Buffer.from(String(file.base64), "base64")] : [],
        ),
      trouble: () => undefined,
      callCount: () => frames.length,
      close: async () => undefined,
    };
  },
});

const MIB = 1024 * 1024;
const place = dm("user-1");

function terminal() {
  const frames: Readonly<Record<string, unknown>>[] = [];
  const terminals = {
    push: async (_userId: string, frame: Readonly<Record<string, unknown>>) => frames.push(frame) + 40,
  };
  return { frames, api: cli.api({}, environmentOf({ terminals })) };
}

const file = (size: number) => ({
  place,
  replyTo: undefined,
  nonce: "n",
  filename: "report.bin",
  mimeType: "application/octet-stream",
  bytes: new Uint8Array(size),
});

it("A terminal gets frames, whose ids are the messages'", async () => {
  const { frames, api } = terminal();
  expect(await api.send(outgoingText(place, "hi"))).toEqual({ messageId: "41" });
  await api.send(outgoingText(place, "hi", { replyTo: "7" }));
  const buttons = [{ label: "Allow", data: "allow:1", style: "primary" as const }];
  await api.send(outgoingText(place, "May I?", { buttons }));
  await api.showTyping?.(place, undefined);
  await api.send(outgoingText({ ...place, threadId: "project-1" }, "hi"));
  expect(frames).toMatchObject([
    { type: "message", text: "hi", nonce: expect.any(String) },
    { type: "message", text: "hi", reply_to: "7" },
    { type: "approval", text: "May I?", choices: [{ label: "Allow", data: "allow:1" }] },
    { type: "typing" },
    { type: "message", text: "hi", project_id: "project-1" },
  ]);
  expect(Object.keys(api)).not.toContain("edit");
});

it("A terminal gets files up to 1 MiB, and else where they are", async () => {
  const { frames, api } = terminal();
  await api.sendFile?.(file(MIB));
  await api.sendFile?.(file(MIB + 1));
  const base64 = Buffer.alloc(MIB).toString("base64");
  expect(frames).toMatchObject([
    {
      type: "message",
      text: "report.bin",
      file: { name: "report.bin", mime_type: "application/octet-stream", base64 },
    },
    { type: "message", text: expect.stringContaining("report.bin is too large") },
  ]);
});

it("A terminal that takes no frame is unreachable", async () => {
  const failure = await failureOf(cli.api({}, environmentOf()).send(outgoingText(place, "hi")));
  expect(failure).toMatchObject({ kind: "unreachable", mayHaveHappened: true });
});
