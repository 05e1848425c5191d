import { describe, expect, it } from "vitest";
import { parseEnvelope } from "#src/channels/slack/parse.ts";
import { plainText } from "#src/channels/slack/plain-text.ts";
import { slack } from "#src/channels/slack/index.ts";
import { channelContract } from "../contract.ts";
import { dm } from "../environment.ts";
import { bytes, get, hmac, NOW, NOW_SECONDS, post, receivedMessage } from "../requests.ts";

const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const credentials = { bot_token: "xoxb-1-2-abc", signing_secret: SECRET };
const self = { botId: "UBOT", botName: "team" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };

const base = {
  type: "message",
  user: "U1",
  team: "T1",
  channel: "C1",
  channel_type: "channel",
  text: "hello",
  ts: "1699999990.000100",
};
const callback = (event: object, envelope: object = {}) => ({
  type: "event_callback",
  team_id: "T1",
  api_app_id: "A1",
  event_id: "Ev1",
  event_time: 1_699_999_990,
  authorizations: [{ team_id: "T1", user_id: "UBOT", is_bot: true }],
  event,
  ...envelope,
});
const read = (event: object, whom: { botId: string | undefined; botName: string | undefined } = self) =>
  slack.parse(post(callback({ ...base, ...event })), whom, NOW).events;

const actions = {
  type: "block_actions",
  user: { id: "U1", username: "ann", name: "ann", team_id: "T1" },
  team: { id: "T1", domain: "team" },
  container: { type: "message", message_ts: "1699999000.000200", channel_id: "C1" },
  channel: { id: "C1", name: "general" },
  message: { ts: "1699999000.000200", thread_ts: "1699998000.000100", text: "Allow?" },
  response_url: "https://hooks.slack.com/actions/T1/1/x",
  trigger_id: "1.2.x",
  actions: [
    {
      type: "button",
      action_id: "approve:1",
      block_id: "b",
      value: "approve:1:deny",
      action_ts: "1699999990.123",
    },
  ],
};
const command = {
  token: "t",
  team_id: "T1",
  team_domain: "team",
  channel_id: "D1",
  channel_name: "directmessage",
  user_id: "U1",
  user_name: "ann",
  command: "/ask",
  text: "what &amp; why",
  response_url: "https://hooks.slack.com/commands/T1/1/x",
  trigger_id: "13345224609.738474920.8088930838d88f008e0",
};
const form = (fields: Record<string, string>) => post(new URLSearchParams(fields).toString(), FORM);

channelContract({
  adapter: slack,
  secrets: { credentials, webhookSecret: "" },
  missing: { credentials: { ...credentials, signing_secret: "" }, webhookSecret: "" },
  wrong: { credentials: { ...credentials, signing_secret: `${SECRET}6` }, webhookSecret: "" },
  bodies: [JSON.stringify(callback(base)), JSON.stringify(actions), new URLSearchParams(command).toString()],
  headers: { "content-type": "application/json" },
  sign: async (body, seconds) => ({
    "x-slack-request-timestamp": seconds,
    "x-slack-signature": `v0=${await hmac(SECRET, bytes(`v0:${seconds}:`), body)}`,
  }),
  signs: { body: true, time: true },
});

describe("a Slack signature", () => {
  it.each([
    [
      "of Slack's documentation",
      SECRET,
      "1531420618",
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
      "a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    ],
    [
      "of an event",
      "test_signing_secret",
      NOW_SECONDS,
      '{"type":"event_callback"}',
      "daf4a2324d850a59b457abc4240e28df7fce8bf2d47423e6025e87d2b0f3379c",
    ],
  ])("%s is accepted, and only as it is", async (_, secret, seconds, body, hex) => {
    const verify = (headers: Record<string, string>) =>
      slack.verify(
        post(body, headers),
        { credentials: { ...credentials, signing_secret: secret }, webhookSecret: "" },
        Number(seconds) * 1000,
      );
    const time = { "x-slack-request-timestamp": seconds };
    expect(await verify({ ...time, "x-slack-signature": `v0=${hex}` })).toBe(true);
    expect(await verify({ ...time, "x-slack-signature": hex })).toBe(false);
    expect(await verify({ ...time, "x-slack-signature": `v0=${hex.toUpperCase()}` })).toBe(false);
    expect(await verify({ ...time, "x-slack-signature": `v0=${hex}00` })).toBe(false);
    expect(await verify({ "x-slack-signature": `v0=${hex}` })).toBe(false);
    expect(
      await verify({ "x-slack-request-timestamp": `0${seconds}`, "x-slack-signature": `v0=${hex}` }),
    ).toBe(false);
  });
});

describe("a Slack message", () => {
  it("of a channel", () => {
    expect(read({ thread_ts: "1699990000.000100" })).toEqual([
      receivedMessage({
        id: "C1:1699999990.000100",
        messageId: "1699999990.000100",
        place: { chatId: "C1", chatType: "group", threadId: "1699990000.000100" },
        sender: { id: "T1:U1", alternateId: undefined, name: "U1" },
        text: "hello",
        isAddressed: false,
      }),
    ]);
  });

  it.each([
    [
      { channel: "D1", channel_type: "im" },
      { isAddressed: true, place: { chatType: "dm" } },
    ],
    [
      { channel: "G1", channel_type: "mpim" },
      { isAddressed: false, place: { chatType: "group" } },
    ],
    [{ text: "<@UBOT> hi" }, { isAddressed: true, text: "hi" }],
    [{ text: "hi <@UBOT|team>" }, { isAddressed: true, text: "hi" }],
    [{ text: "<@UBOT2> hi" }, { isAddressed: false, text: "@UBOT2 hi" }],
    [
      { type: "app_mention", channel_type: undefined, text: "<@UBOT> hi" },
      { isAddressed: true, text: "hi" },
    ],
    [{ type: "app_mention", channel: "D1", channel_type: undefined }, { place: { chatType: "dm" } }],
    [{ thread_ts: "1.1", parent_user_id: "UBOT" }, { isAddressed: true }],
    [{ thread_ts: "1.1", parent_user_id: "U2" }, { isAddressed: false }],
    [{ subtype: "thread_broadcast", thread_ts: "1.1" }, { text: "hello" }],
    [{ user_team: "T2" }, { sender: { id: "T2:U1" } }],
    [{ text: "a &lt; b &amp;&amp; c" }, { text: "a < b && c" }],
  ])("%j", (event, expected) => {
    expect(read(event)).toMatchObject([expected]);
  });

  it("has the same id as the mention that comes beside it", () => {
    expect(read({ text: "<@UBOT> hi" })[0]).toEqual(
      read({ type: "app_mention", text: "<@UBOT> hi", channel_type: undefined })[0],
    );
  });

  it("knows the bot by the event's authorization when it has not asked who it is", () => {
    const nobody = { botId: undefined, botName: undefined };
    expect(read({ text: "<@UBOT> hi" }, nobody)).toMatchObject([{ isAddressed: true, text: "hi" }]);
    expect(read({ user: "UBOT" }, nobody)).toEqual([]);
  });

  it("of files alone", () => {
    const [memo, picture] = ["https://files.slack.com/a", "https://files.slack.com/b"];
    const files = [
      { id: "F1", name: "memo.m4a", mimetype: "audio/mp4", url_private_download: memo },
      { id: "F2", mimetype: "image/png", size: 9, url_private: picture },
      { id: "F3", mode: "tombstone" },
    ];
    expect(read({ subtype: "file_share", text: "", files })).toMatchObject([
      {
        text: "",
        media: [
          { kind: "voice", reference: memo, filename: "memo.m4a" },
          { kind: "image", reference: picture, mimeType: "image/png", size: 9 },
          { kind: "other", name: "file that Slack hides" },
        ],
      },
    ]);
  });

  it("that was only forwarded tells that it is not taken", () => {
    const attachments = [{ is_share: true, text: "hi", author_name: "Bob" }];
    const media = [{ kind: "other", name: "forwarded message" }];
    expect(read({ text: "", attachments, channel_type: "im" })).toMatchObject([{ media, isAddressed: true }]);
    expect(read({ text: "see", attachments })).toMatchObject([{ text: "see", media: [] }]);
    expect(read({ text: "", attachments: [{ text: "a preview" }] })).toEqual([]);
  });

  it("with /me is read", () => {
    expect(read({ subtype: "me_message", text: "waves" })).toMatchObject([{ text: "waves" }]);
  });

  it.each([
    { user: "UBOT" },
    { bot_id: "B1" },
    { subtype: "bot_message", bot_id: "B1", user: undefined },
    { subtype: "message_changed" },
    { subtype: "channel_join" },
    { text: "" },
    { type: "reaction_added" },
    { user: undefined },
  ])("%j is ignored", (event) => {
    expect(read(event)).toEqual([]);
  });

  it.each([{ type: "app_rate_limited", team_id: "T1" }, { type: "event_callback" }, { type: "other" }])(
    "%j is ignored",
    (body) => {
      expect(slack.parse(post(body), self, NOW)).toEqual({ reply: { empty: true }, events: [] });
    },
  );

  it.each(["", "[]", "{}", "null", "token=1"])("%j is refused", (body) => {
    expect(() => slack.parse(post(body), self, NOW)).toThrow("Not the JSON");
  });
});

describe("a Slack form", () => {
  it("of a button is a click", () => {
    expect(slack.parse(form({ payload: JSON.stringify(actions) }), self, NOW)).toEqual({
      reply: { empty: true },
      events: [
        {
          kind: "click",
          id: "U1:1699999990.123:approve:1",
          place: { chatId: "C1", chatType: "group", threadId: "1699998000.000100" },
          sender: { id: "T1:U1", alternateId: undefined, name: "ann" },
          data: "approve:1:deny",
          messageId: "1699999000.000200",
          confirmation: "https://hooks.slack.com/actions/T1/1/x",
        },
      ],
    });
  });

  it("of another interaction is ignored", () => {
    for (const type of ["view_submission", "shortcut", "block_actions"]) {
      expect(slack.parse(form({ payload: JSON.stringify({ type }) }), self, NOW).events).toEqual([]);
    }
  });

  it("of a slash command is an addressed message", () => {
    expect(slack.parse(form(command), self, NOW).events).toEqual([
      receivedMessage({
        id: command.trigger_id,
        messageId: undefined,
        replyTarget: command.response_url,
        place: dm("D1"),
        sender: { id: "T1:U1", alternateId: undefined, name: "ann" },
        text: "/ask what & why",
        sentAt: undefined,
      }),
    ]);
    expect(slack.parse(form({ ...command, text: "" }), self, NOW).events).toMatchObject([{ text: "/ask" }]);
  });

  it("that tests the certificate is ignored, and another is refused", () => {
    expect(slack.parse(form({ ssl_check: "1", token: "t" }), self, NOW).events).toEqual([]);
    expect(() => slack.parse(form({ a: "b" }), self, NOW)).toThrow("Not a form of Slack's");
    expect(() => slack.parse(form({ payload: "{" }), self, NOW)).toThrow("Not the JSON");
  });
});

it("an envelope of Socket Mode holds what a webhook is sent", () => {
  const events = (type: string, payload?: unknown) =>
    parseEnvelope({ envelope_id: "e", type, payload }, self);
  expect(events("events_api", callback(base))).toEqual(read({}));
  expect(events("interactive", actions)).toMatchObject([{ kind: "click", data: "approve:1:deny" }]);
  expect(events("slash_commands", command)).toMatchObject([{ id: command.trigger_id }]);
  expect(events("hello")).toEqual([]);
  expect(events("events_api")).toEqual([]);
  expect(parseEnvelope(null, self)).toEqual([]);
});

it("Slack's question for the challenge is returned before any signature", () => {
  const asked = {
    token: "t",
    challenge: "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P",
    type: "url_verification",
  };
  expect(slack.handshake(post(asked), credentials)).toEqual({ json: { challenge: asked.challenge } });
  expect(slack.handshake(get({ challenge: "c" }), credentials)).toEqual({ json: { challenge: "c" } });
  expect(slack.handshake(post(callback(base)), credentials)).toBeUndefined();
  expect(slack.handshake(post({ ...asked, challenge: "c".repeat(5_000) }), credentials)).toBeUndefined();
  expect(slack.handshake(post("{"), credentials)).toBeUndefined();
});

it.each([
  ["<https://a.example/x|the docs>", "the docs (https://a.example/x)"],
  ["<http://a.example|a.example>", "a.example"],
  ["<mailto:a@b.example|a@b.example>", "a@b.example"],
  ["<#C1|general> <#C2|>", "#general #C2"],
  ["<!here> <!subteam^S1|@ops> <!date^1^x|today>", "@here @ops today"],
  ["&lt;b&gt; &amp;lt;", "<b> &lt;"],
])("Slack's text %j is %j", (text, plain) => {
  expect(plainText(text)).toBe(plain);
});

it.each([
  [{ bot_token: "xoxb-1" }, false],
  [{ bot_token: "xapp-1", signing_secret: "s" }, false],
  [{ bot_token: "xoxb-1", signing_secret: "" }, false],
  [{ bot_token: "xoxb-1", signing_secret: "s", app_token: "xoxb-1" }, false],
  [{ bot_token: " xoxb-1 ", signing_secret: "s", app_token: "xapp-1" }, true],
])("Slack's credentials %j", (entered, isValid) => {
  expect(slack.credentials.safeParse(entered).success).toBe(isValid);
});
