import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { signal } from "#src/channels/signal/index.ts";
import { parseEnvelope } from "#src/channels/signal/parse.ts";
import { channelContract } from "../contract.ts";
import { dm } from "../environment.ts";
import { receivedMessage } from "../requests.ts";

const ACCOUNT = "+4915100000000";
const ANN = "8d0e8f5f-0c5b-4b0a-9d55-0d4f5f1f1a11";
const BOT = "11111111-0c5b-4b0a-9d55-0d4f5f1f1a11";
const credentials = { signal_cli_url: "https://signal.example/bridge", phone_number: ACCOUNT };
const secrets = { credentials, webhookSecret: "secret" };
const self = { botId: ACCOUNT, botName: undefined };

const data = { timestamp: 1_699_999_990_000, message: "hello", expiresInSeconds: 0, viewOnce: false };
const envelope = {
  source: "+16505551234",
  sourceNumber: "+16505551234",
  sourceUuid: ANN,
  sourceName: "Ann",
  sourceDevice: 1,
  timestamp: 1_699_999_990_000,
  dataMessage: data,
};
const group = { groupInfo: { groupId: "Z3JvdXA=", type: "DELIVER" } };
const mentions = [
  { uuid: BOT, number: ACCOUNT, name: "bot", start: 0, length: 1 },
  { uuid: ANN, number: null, name: "Ann", start: 5, length: 1 },
];
const read = (fields: object, inData: object = {}) =>
  parseEnvelope(
    { envelope: { ...envelope, dataMessage: { ...data, ...inData }, ...fields }, account: ACCOUNT },
    self,
  );

channelContract({
  adapter: signal,
  secrets,
  missing: secrets,
  wrong: secrets,
  bodies: [JSON.stringify({ envelope, account: ACCOUNT })],
  headers: {},
  sign: undefined,
  signs: { body: false, time: false },
});

describe("an envelope of Signal's", () => {
  it("is a message of a person, by their UUID", () => {
    const message = receivedMessage({
      id: `${ANN}:1699999990000`,
      messageId: "1699999990000",
      place: dm(ANN),
      sender: { id: ANN, alternateId: "+16505551234", name: "Ann" },
      text: "hello",
    });
    const frame = { envelope, account: ACCOUNT };
    expect(parseEnvelope(frame, self)).toEqual(message);
    expect(parseEnvelope({ jsonrpc: "2.0", method: "receive", params: frame }, self)).toEqual(message);
  });

  it("is no message of this channel when it is for another number of the same bridge", () => {
    expect(parseEnvelope({ envelope, account: "+4915199999999" }, self)).toBeUndefined();
  });

  it.each([
    [{ sourceNumber: null, source: ANN }, {}, { sender: { id: ANN, alternateId: undefined } }],
    [{ sourceUuid: "", sourceName: "" }, {}, { sender: { id: "+16505551234", name: "+16505551234" } }],
    [{}, group, { place: { chatId: "group.WjNKdmRYQT0=", chatType: "group" }, isAddressed: false }],
    [{}, { ...group, message: "\uFFFC hi \uFFFC", mentions }, { text: "hi @Ann", isAddressed: true }],
    [
      {},
      { ...group, quote: { id: 5, author: ACCOUNT, authorNumber: ACCOUNT, text: "Shall I?" } },
      { isAddressed: true, replyTo: { id: "5", text: "Shall I?" } },
    ],
    [{}, { ...group, quote: { id: 5, authorUuid: ANN, text: null } }, { isAddressed: false }],
    [
      {},
      { message: null, attachments: [{ id: "a.m4a", contentType: "audio/aac", filename: null, size: 7 }] },
      { text: "", media: [{ kind: "voice", reference: "a.m4a", mimeType: "audio/aac", size: 7 }] },
    ],
  ])("%j with %j", (fields, inData, expected) => {
    expect(read(fields, inData)).toMatchObject(expected);
  });

  it.each([
    ["sticker", { sticker: { packId: "9acc9e8aba563d26", stickerId: 2 } }],
    ["contact", { contacts: [{ name: { display: "Bob" }, phone: [{ value: "+1650" }] }] }],
    ["payment", { payment: { note: "for tulips", receipt: "" } }],
    ["poll", { pollCreate: { question: "Tulips?", options: ["yes", "no"], allowMultiple: false } }],
  ])("with a %s tells that it is not taken", (name, inData) => {
    const media = [{ kind: "other", name }];
    expect(read({}, { ...inData, message: null })).toMatchObject({ text: "", media, isAddressed: true });
    expect(read({}, { ...inData, ...group, message: null })).toMatchObject({ media, isAddressed: false });
  });

  it.each([
    [{ dataMessage: undefined, receiptMessage: { isDelivery: true } }, {}],
    [{ dataMessage: undefined, typingMessage: { action: "STARTED" } }, {}],
    [{ dataMessage: undefined, syncMessage: { sentMessage: data } }, {}],
    [{ dataMessage: undefined, editMessage: { dataMessage: data } }, {}],
    [{ sourceNumber: ACCOUNT }, {}],
    [{ sourceNumber: undefined, sourceUuid: undefined, source: ACCOUNT }, {}],
    [{}, { message: null }],
    [{}, { message: null, contacts: [] }],
    [{}, { reaction: { emoji: "x" } }],
    [{}, { remoteDelete: { timestamp: 1 } }],
  ])("%j with %j is ignored", (fields, inData) => {
    expect(read(fields, inData)).toBeUndefined();
  });

  it("of any other shape is ignored", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(parseEnvelope(value, self)).toBeUndefined();
      }),
    );
    expect(parseEnvelope({ error: "no account", account: ACCOUNT }, self)).toBeUndefined();
  });
});

it.each([
  [{ phone_number: "015112345678" }, false],
  [{ phone_number: "+0151" }, false],
  [{ signal_cli_url: "ftp://signal.example" }, false],
  [{ signal_cli_url: "signal.example" }, false],
  [{ signal_cli_url: "https://signal.example/bridge/" }, true],
])("Signal's credentials with %j", (fields, isValid) => {
  const parsed = signal.credentials.safeParse({ ...credentials, ...fields });
  expect(parsed.data).toEqual(isValid ? credentials : undefined);
});
