import { describe, expect, it } from "vitest";
import { discord } from "#src/channels/discord/index.ts";
import { parseGatewayMessage } from "#src/channels/discord/parse.ts";
import { channelContract } from "../contract.ts";
import { bytes, get, NOW, NOW_SECONDS, post, receivedMessage } from "../requests.ts";

/** The first key pair of RFC 8032, section 7.1. */
const SEED = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const PUBLIC_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const OTHER_KEY = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
const credentials = { bot_token: "token", application_id: "900", public_key: PUBLIC_KEY };
const self = { botId: "900", botName: "team" };
const PLACE = { chatId: "30", chatType: "group", threadId: undefined };

const ann = { id: "7", username: "annlee", global_name: "Ann" };
const base = {
  id: "500",
  application_id: "900",
  token: "aW50ZXJhY3Rpb24",
  version: 1,
  channel_id: "30",
  channel: { id: "30", type: 0 },
  guild_id: "20",
  member: { user: ann, nick: "Annie", roles: [] },
};
const command = { ...base, type: 2, data: { id: "1", name: "new", type: 1 } };
const component = {
  ...base,
  type: 3,
  data: { custom_id: "approve:1:deny", component_type: 2 },
  message: { id: "400", content: "Allow?" },
};
const read = (interaction: unknown) => discord.parse(post(interaction), self, NOW);

async function sign(body: Uint8Array, seconds: string): Promise<Record<string, string>> {
  const pkcs8 = Buffer.from(`302e020100300506032b657004220420${SEED}`, "hex");
  const key = await crypto.subtle.importKey("pkcs8", Uint8Array.from(pkcs8), "Ed25519", false, ["sign"]);
  const signed = Uint8Array.from(Buffer.concat([bytes(seconds), body]));
  return {
    "x-signature-timestamp": seconds,
    "x-signature-ed25519": Buffer.from(await crypto.subtle.sign("Ed25519", key, signed)).toString("hex"),
  };
}

channelContract({
  adapter: discord,
  secrets: { credentials, webhookSecret: "" },
  missing: { credentials: { ...credentials, public_key: "" }, webhookSecret: "" },
  wrong: { credentials: { ...credentials, public_key: OTHER_KEY }, webhookSecret: "" },
  bodies: [JSON.stringify(component), JSON.stringify(command), '{"type":1}'],
  headers: { "content-type": "application/json" },
  sign,
  signs: { body: true, time: true },
});

/** What the key pair makes of `{"type":1}` at that time. */
const PING_SIGNATURE =
  "1695961a47c91a1ec033b819b7e87e3dbc583dd0cee6d1fd0216f58ac87b6228ae531ddbf91fb7bc28d7edf7f08604da16f54624f38a6bc0614e4dc13cd47f0f";
const verifyPing = (hex: string, key = PUBLIC_KEY) =>
  discord.verify(
    post({ type: 1 }, { "x-signature-timestamp": NOW_SECONDS, "x-signature-ed25519": hex }),
    { credentials: { ...credentials, public_key: key }, webhookSecret: "" },
    NOW,
  );

describe("a Discord signature", () => {
  it("of a ping is accepted, and only as it is", async () => {
    expect(await verifyPing(PING_SIGNATURE)).toBe(true);
    expect(await verifyPing(PING_SIGNATURE.toUpperCase())).toBe(false);
    expect(await verifyPing(`${PING_SIGNATURE}00`)).toBe(false);
    expect(await verifyPing("")).toBe(false);
    expect(await sign(bytes('{"type":1}'), NOW_SECONDS)).toMatchObject({
      "x-signature-ed25519": PING_SIGNATURE,
    });
  });

  it.each(["00".repeat(32), `01${"00".repeat(31)}`, "zz".repeat(32), "d75a98"])(
    "with the key %s is refused",
    async (key) => {
      for (const hex of [PING_SIGNATURE, "00".repeat(64), `01${"00".repeat(63)}`]) {
        expect(await verifyPing(hex, key)).toBe(false);
      }
    },
  );

  it("with a key that accepts forged signatures is no credential", () => {
    const isValid = (key: string) =>
      discord.credentials.safeParse({ ...credentials, public_key: key }).success;
    expect(["00".repeat(32), "", "d75a98", "key"].filter(isValid)).toEqual([]);
    expect(discord.credentials.parse({ ...credentials, public_key: PUBLIC_KEY.toUpperCase() })).toEqual(
      credentials,
    );
  });
});

describe("a Discord interaction", () => {
  it("that pings gets a pong", () => {
    expect(read({ type: 1, id: "1" })).toEqual({ reply: { json: { type: 1 } }, events: [] });
    expect(discord.handshake(get(), credentials)).toEqual({ json: { type: 1 } });
    expect(discord.handshake(post({ type: 1 }), credentials)).toBeUndefined();
  });

  it("of a command is an addressed message that is replied to by its token", () => {
    expect(read(command)).toEqual({
      reply: { json: { type: 5 } },
      events: [
        receivedMessage({
          id: "500",
          messageId: undefined,
          replyTarget: base.token,
          place: PLACE,
          sender: { id: "7", alternateId: undefined, name: "Annie" },
          text: "/new",
          sentAt: undefined,
        }),
      ],
    });
  });

  const said = { type: 3, name: "a", value: "y" };
  it.each([
    [[{ name: "prompt", type: 3, value: "build it" }], "build it"],
    [["one", 2, true].map((value, at) => ({ name: "a", type: 3 + at, value })), "one 2 true"],
    [[{ type: 2, name: "g", options: [{ type: 1, name: "s", options: [said] }] }], "y"],
    [[{ name: "prompt", type: 3, value: " " }], "/new"],
  ])("of a command with options %j says %j", (options, text) => {
    expect(read({ ...command, data: { ...command.data, options } }).events).toMatchObject([{ text }]);
  });

  it("of a command with a file has it", () => {
    const file = { id: "60", url: "https://cdn.discordapp.com/a", filename: "a.pdf", size: 5 };
    const options = [
      { name: "file", type: 11, value: "60" },
      { name: "prompt", type: 3, value: "read" },
    ];
    const data = { ...command.data, options, resolved: { attachments: { 60: file } } };
    expect(read({ ...command, data }).events).toMatchObject([
      { text: "read", media: [{ kind: "document", reference: file.url, filename: "a.pdf", size: 5 }] },
    ]);
  });

  it("of a button is a click", () => {
    expect(read(component)).toEqual({
      reply: { json: { type: 6 } },
      events: [
        {
          kind: "click",
          id: "500",
          place: PLACE,
          sender: { id: "7", alternateId: undefined, name: "Annie" },
          data: "approve:1:deny",
          messageId: "400",
          confirmation: base.token,
        },
      ],
    });
  });

  it.each([
    [{ context: 1 }, "dm"],
    [{}, "dm"],
    [{ context: 2 }, "group"],
  ])("outside a server with %j is of a %s", (fields, chatType) => {
    const alone = { ...command, guild_id: undefined, member: undefined, user: ann, ...fields };
    expect(read(alone).events).toMatchObject([{ place: { chatType }, sender: { id: "7", name: "Ann" } }]);
  });

  it.each([
    [
      { ...base, type: 4 },
      { type: 8, data: { choices: [] } },
    ],
    [{ ...base, type: 5 }, { type: 6 }],
  ])("of another type is no event: %j", (interaction, json) => {
    expect(read(interaction)).toEqual({ reply: { json }, events: [] });
  });

  it.each([
    [null],
    [{ type: 2 }],
    [{ ...component, message: undefined }],
    [{ ...command, member: undefined }],
  ])("%j is refused", (interaction) => {
    expect(() => read(interaction)).toThrow(/^(Not an interaction of Discord's|Discord names no user)$/u);
  });
});

describe("a Discord message of the gateway", () => {
  const sent = {
    id: "600",
    type: 0,
    channel_id: "30",
    guild_id: "20",
    author: ann,
    member: { nick: null },
    content: "hello",
    timestamp: "2023-11-14T22:13:10.000000+00:00",
    mentions: [],
    attachments: [],
    flags: 0,
  };
  const bot = { id: "900", username: "team", bot: true };
  const received = (fields: object) => parseGatewayMessage({ ...sent, ...fields }, self);

  it("of a server", () => {
    const sender = { id: "7", alternateId: undefined, name: "Ann" };
    const message = { id: "600", messageId: "600", place: PLACE, sender, text: "hello", isAddressed: false };
    expect(received({})).toEqual(receivedMessage(message));
  });

  it.each([
    [{ guild_id: undefined }, { isAddressed: true, place: { chatType: "dm" } }],
    [
      { content: "<@900> hi", mentions: [bot] },
      { isAddressed: true, text: "hi" },
    ],
    [
      { content: "<@!900>", mentions: [bot] },
      { isAddressed: true, text: "" },
    ],
    [
      { content: "<@7> hi <@8>", mentions: [ann] },
      { isAddressed: false, text: "@Ann hi <@8>" },
    ],
    [
      { type: 19, referenced_message: { id: "599", author: bot, content: "x".repeat(300) } },
      { isAddressed: true, replyTo: { id: "599", text: "x".repeat(200) } },
    ],
    [{ type: 19, referenced_message: { id: "599", author: ann, content: "a" } }, { isAddressed: false }],
    [{ type: 19, referenced_message: null }, { replyTo: undefined }],
    [
      {
        content: "",
        flags: 1 << 13,
        attachments: [
          { id: "1", url: "https://cdn/x", filename: "v.ogg", content_type: "audio/ogg", size: 4 },
        ],
      },
      { text: "", media: [{ kind: "voice", mimeType: "audio/ogg", filename: "v.ogg", size: 4 }] },
    ],
    [
      { attachments: [{ id: "1", url: "https://cdn/y", content_type: "text/plain; charset=utf-8" }] },
      { media: [{ kind: "document", reference: "https://cdn/y", mimeType: "text/plain" }] },
    ],
  ])("%j", (fields, expected) => {
    expect(received(fields)).toMatchObject(expected);
  });

  it.each([
    ["sticker", { sticker_items: [{ id: "1", name: "Wave", format_type: 3 }] }],
    ["poll", { poll: { question: { text: "Tulips?" }, answers: [] } }],
    [
      "forwarded message",
      { message_reference: { type: 1 }, message_snapshots: [{ message: { content: "hi" } }] },
    ],
    ["invitation", { activity: { type: 1, party_id: "1" } }],
  ])("with a %s tells that it is not taken", (name, fields) => {
    const media = [{ kind: "other", name }];
    expect(received({ ...fields, content: "", guild_id: undefined })).toMatchObject({
      text: "",
      media,
      isAddressed: true,
    });
    expect(received({ ...fields, content: "see" })).toMatchObject({ text: "see", media, isAddressed: false });
  });

  it.each([
    { author: { ...ann, bot: true } },
    { author: { id: "900", username: "team" } },
    { webhook_id: "1" },
    { type: 7 },
    { content: "" },
    { author: undefined },
    { id: 5 },
  ])("%j is ignored", (fields) => {
    expect(received(fields)).toBeUndefined();
    expect(parseGatewayMessage(null, self)).toBeUndefined();
  });
});
