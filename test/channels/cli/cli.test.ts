import { expect, it } from "vitest";
import { cli, parseFrame } from "#src/channels/cli/index.ts";
import { channelContract } from "../contract.ts";

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
