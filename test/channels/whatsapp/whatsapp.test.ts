import { describe, expect, it } from "vitest";
import { whatsapp } from "#src/channels/whatsapp/index.ts";
import { parseDelivery } from "#src/channels/whatsapp/parse.ts";
import { channelContract } from "../contract.ts";
import { dm } from "../environment.ts";
import { get, hmac, NOW, post, receivedMessage } from "../requests.ts";

const SECRET = "test_app_secret";
const VERIFY_TOKEN = "chosen-by-the-owner";
const credentials = {
  access_token: "EAAG",
  phone_number_id: "106540352242922",
  verify_token: VERIFY_TOKEN,
  app_secret: SECRET,
};
const self = { botId: "106540352242922", botName: undefined };

const metadata = { display_phone_number: "+1 555 078-3881", phone_number_id: "106540352242922" };
const ann = { profile: { name: "Ann" }, wa_id: "16505551234", user_id: "US.13491208655302741918" };
const base = {
  from: "16505551234",
  from_user_id: "US.13491208655302741918",
  id: "wamid.A",
  timestamp: "1699999990",
  type: "text",
  text: { body: "hello" },
};
const change = (value: object, field = "messages") => ({
  field,
  value: { messaging_product: "whatsapp", metadata, ...value },
});
const body = (...changes: ReturnType<typeof change>[]) => ({
  object: "whatsapp_business_account",
  entry: [{ id: "1", changes }],
});
const read = (...changes: ReturnType<typeof change>[]) =>
  whatsapp.parse(post(body(...changes)), self, NOW).events;
const message = (fields: object, contacts: object[] = [ann]) =>
  read(change({ contacts, messages: [{ ...base, ...fields }] }));
const one = (id: string, from: string) => ({ ...base, id, from, from_user_id: undefined });
const contact = (id: string, name: string) => ({ profile: { name }, wa_id: id });
const aged = (seconds: number, maxAgeMs?: number) =>
  parseDelivery(
    body(change({ contacts: [ann], messages: [{ ...base, timestamp: String(NOW / 1000 - seconds) }] })),
    self,
    { now: NOW, ...(maxAgeMs !== undefined && { maxAgeMs }) },
  ).length;
const status = (fields: object) => read(change({ statuses: [{ id: "wamid.B", ...fields }] }));

channelContract({
  adapter: whatsapp,
  secrets: { credentials, webhookSecret: "" },
  missing: { credentials: { ...credentials, app_secret: "" }, webhookSecret: "" },
  wrong: { credentials: { ...credentials, app_secret: `${SECRET}s` }, webhookSecret: "" },
  bodies: [
    JSON.stringify(body(change({ contacts: [ann], messages: [base] }))),
    JSON.stringify(body(change({ statuses: [{ id: "w", status: "failed", errors: [{ code: 131_047 }] }] }))),
  ],
  headers: { "content-type": "application/json" },
  sign: async (signed) => ({ "x-hub-signature-256": `sha256=${await hmac(SECRET, signed)}` }),
  signs: { body: true, time: false },
});

it("WhatsApp's signature of a body is accepted", async () => {
  const headers = {
    "x-hub-signature-256": "sha256=62dd87e2fca9df61d2bb074ef802490563f3f47ab32fc81b2267f074ab32ad96",
  };
  const signed = post('{"object":"whatsapp_business_account"}', headers);
  expect(await whatsapp.verify(signed, { credentials, webhookSecret: "" }, NOW)).toBe(true);
  expect(whatsapp.parse(signed, self, NOW).events).toEqual([]);
});

it.each([
  ["subscribe", VERIFY_TOKEN, "1158", true],
  ["subscribe", "chosen", "1158", false],
  ["subscribe", "", "1158", false],
  ["subscribe", undefined, "1158", false],
  ["other", VERIFY_TOKEN, "1158", false],
  ["subscribe", VERIFY_TOKEN, undefined, false],
])("WhatsApp's question %j with the token %j and the challenge %j: %j", (mode, token, challenge, isRight) => {
  const asked = get({
    "hub.mode": mode,
    ...(token !== undefined && { "hub.verify_token": token }),
    ...(challenge !== undefined && { "hub.challenge": challenge }),
  });
  expect(whatsapp.handshake(asked, credentials)).toEqual(isRight ? { text: "1158" } : null);
  expect(whatsapp.handshake(asked, { ...credentials, verify_token: "" })).toBeNull();
});

describe("a WhatsApp message", () => {
  it("has the phone number as its chat, and the business-scoped id beside it", () => {
    expect(message({})).toEqual([
      receivedMessage({
        id: "wamid.A",
        messageId: "wamid.A",
        place: dm("16505551234"),
        sender: { id: "16505551234", alternateId: ann.user_id, name: "Ann" },
        text: "hello",
      }),
    ]);
  });

  it.each([
    ["absent", undefined],
    ["empty", ""],
  ])("of a person whose number is %s has the business-scoped id", (_, from) => {
    const named = { profile: { username: "ann.lee" }, user_id: ann.user_id };
    const expected = {
      place: { chatId: ann.user_id },
      sender: { id: ann.user_id, alternateId: undefined, name: "ann.lee" },
    };
    expect(message({ from }, [named])).toMatchObject([expected]);
    expect(message({ from, from_user_id: undefined }, [named])).toMatchObject([expected]);
    expect(message({ from }, [])).toMatchObject([{ sender: { id: ann.user_id, name: ann.user_id } }]);
    expect(message({ from, from_user_id: undefined }, [])).toEqual([]);
  });

  it("is never another person's: a contact with other ids lends none", () => {
    const bob = { profile: { name: "Bob" }, wa_id: "49151", user_id: "DE.1" };
    expect(message({ from: undefined }, [bob])).toMatchObject([
      { sender: { id: ann.user_id, alternateId: undefined, name: ann.user_id } },
    ]);
    expect(message({ from_user_id: undefined }, [bob])).toMatchObject([
      { sender: { id: ann.wa_id, alternateId: undefined, name: ann.wa_id } },
    ]);
    expect(message({ from: undefined, from_user_id: undefined }, [ann, bob])).toEqual([]);
  });

  it("is read from all entries, changes and messages, with each one's contact", () => {
    const delivery = {
      object: "whatsapp_business_account",
      entry: [
        {
          changes: [
            change({
              contacts: [contact("1", "Ann"), contact("2", "Bob")],
              messages: [one("a", "1"), { id: 5 }, one("b", "2")],
            }),
            change({ contacts: [contact("3", "Cid")], messages: [one("c", "3")] }),
          ],
        },
        {},
        { changes: [change({ messages: [one("d", "4")], statuses: [{ id: "e", status: "read" }] })] },
      ],
    };
    const { events } = whatsapp.parse(post(delivery), self, NOW);
    const seen = events.map((event) =>
      event.kind === "message" ? [event.id, event.sender.name] : event.kind,
    );
    expect(seen).toEqual([["a", "Ann"], ["b", "Bob"], ["c", "Cid"], ["d", "4"], "status"]);
  });

  it.each([
    [
      "image",
      { image: { id: "m", mime_type: "image/jpeg", caption: "see" } },
      { text: "see", media: [{ kind: "image", reference: "m", mimeType: "image/jpeg" }] },
    ],
    [
      "audio",
      { audio: { id: "m", mime_type: "audio/ogg; codecs=opus", voice: true } },
      { text: "", media: [{ kind: "voice", mimeType: "audio/ogg" }] },
    ],
    ["video", { video: { id: "m", mime_type: "video/mp4" } }, { media: [{ kind: "document" }] }],
    [
      "document",
      { document: { id: "m", mime_type: "application/pdf", filename: "a.pdf", caption: "read" } },
      { text: "read", media: [{ kind: "document", filename: "a.pdf" }] },
    ],
    ["button", { button: { text: "Yes", payload: "yes" } }, { kind: "message", text: "Yes" }],
  ])("of the type %s", (type, fields, expected) => {
    expect(message({ type, text: undefined, ...fields })).toMatchObject([expected]);
  });

  it.each(["button_reply", "list_reply"])("with a %s is a click", (type) => {
    const interactive = { type, [type]: { id: "approve:1:deny", title: "Deny" } };
    const fields = { type: "interactive", text: undefined, interactive };
    expect(message({ ...fields, context: { from: "15550783881", id: "wamid.B" } })).toEqual([
      {
        kind: "click",
        id: "wamid.A",
        place: dm("16505551234"),
        sender: { id: "16505551234", alternateId: ann.user_id, name: "Ann" },
        data: "approve:1:deny",
        messageId: "wamid.B",
        confirmation: undefined,
      },
    ]);
    expect(message(fields)).toMatchObject([{ kind: "message", text: "Deny" }]);
  });

  it("that replies names the other", () => {
    expect(message({ context: { id: "wamid.B" } })).toMatchObject([{ replyTo: { id: "wamid.B", text: "" } }]);
  });

  it.each([
    ["sticker", { type: "sticker", sticker: { id: "m", mime_type: "image/webp", animated: false } }],
    ["location", { type: "location", location: { latitude: 52.5, longitude: 13.4, name: "Zoo" } }],
    ["contact", { type: "contacts", contacts: [{ name: { formatted_name: "Bob" } }] }],
    ["order", { type: "order", order: { catalog_id: "1", product_items: [] } }],
    ["form", { type: "interactive", interactive: { type: "nfm_reply", nfm_reply: { name: "flow" } } }],
    ["message", { type: "unsupported", errors: [{ code: 131_051, title: "Message type unknown" }] }],
    ["message", { type: "unknown", errors: [{ code: 131_051 }] }],
  ])("that is a %s tells that it is not taken", (name, fields) => {
    expect(message({ text: undefined, ...fields })).toMatchObject([
      { text: "", media: [{ kind: "other", name }], isAddressed: true },
    ]);
  });

  it.each([
    { type: "reaction", text: undefined, reaction: { message_id: "wamid.B", emoji: "x" } },
    { type: "system", text: undefined, system: { body: "Ann changed her number", wa_id: "1" } },
    { from: "15550783881", from_user_id: undefined },
    { group_id: "G1" },
    { text: { body: " " } },
    { timestamp: String(NOW / 1000 - 3_601) },
  ])("%j is ignored", (fields) => {
    expect(message(fields)).toEqual([]);
  });

  it("is dropped when it is older than an hour, or than is asked", () => {
    expect([aged(3_600), aged(3_601), aged(3_601, 7_200_000), aged(61, 60_000)]).toEqual([1, 0, 1, 0]);
  });

  it("of another number of the app, or what the business wrote itself, is ignored", () => {
    const value = { contacts: [ann], messages: [base] };
    expect(read(change({ ...value, metadata: { ...metadata, phone_number_id: "2" } }))).toEqual([]);
    expect(read(change({ message_echoes: [base] }, "smb_message_echoes"))).toEqual([]);
    expect(read(change(value, "history"))).toEqual([]);
  });

  it.each(["{}", "[]", "null", "", '{"object":1}', '{"object":"x","entry":{}}'])("%j is refused", (text) => {
    expect(() => whatsapp.parse(post(text), self, NOW)).toThrow("Not the JSON");
  });
});

describe("a WhatsApp status", () => {
  it.each(["delivered", "read", "played"])("%j is a delivery", (name) => {
    expect(status({ status: name })).toEqual([
      { kind: "status", messageId: "wamid.B", status: "delivered", error: undefined },
    ]);
  });

  it.each([{ status: "sent" }, { status: "deleted" }, { status: 1 }])("%j is ignored", (fields) => {
    expect(status(fields)).toEqual([]);
  });

  it.each([
    [
      [{ code: 131_047, title: "Re-engagement message" }],
      /24 hours.*write first \(WhatsApp error 131047\)$/u,
    ],
    [[{ code: 131_026, title: "Message undeliverable" }], /this person.*\(WhatsApp error 131026\)$/u],
    [[{ code: 131_056 }], /short time \(WhatsApp error 131056\)$/u],
    [[{ code: 1, title: "T", error_data: { details: "Told" } }], /^Told \(WhatsApp error 1\)$/u],
    [[{ code: 1 }], /^WhatsApp could not deliver the message \(WhatsApp error 1\)$/u],
    [undefined, /^WhatsApp could not deliver the message$/u],
  ])("of failure has a sentence: %j", (errors, sentence) => {
    expect(status({ status: "failed", errors })).toMatchObject([
      { messageId: "wamid.B", status: "failed", error: expect.stringMatching(sentence) },
    ]);
  });
});

it.each(Object.keys(credentials))("WhatsApp's credentials need %s", (name) => {
  for (const value of [undefined, ""]) {
    expect(whatsapp.credentials.safeParse({ ...credentials, [name]: value }).success).toBe(false);
  }
});
