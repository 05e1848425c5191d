import { describe, expect, it } from "vitest";
import { isPlatform } from "#src/channels/channel.ts";
import { isChatId } from "#src/channels/chat-id.ts";

const PERSON = "0191d5a4-9b0e-7cc3-8a55-0d6c6f1b2a77";
const GROUP = "group.cTVKdEJ0L1d1c0R5eGhQaTJ6SzZoQT09";

/** Of each platform: what it can have, and what it cannot. */
const IDS = {
  telegram: {
    good: ["5", "123456789", "-1001234567890", "-1001234567890:42", "@workspace_news"],
    bad: ["", "1".repeat(300), "general", "--5", "+5", "1.5", "@a", "@ünï_code", "5:", "5;6"],
  },
  discord: {
    good: ["1234567890123456789", "1234567890123456789:9876543210987654321"],
    bad: ["", "-5", "general", "#general", "<#1234567890123456789>", "1".repeat(21)],
  },
  slack: {
    good: [
      "C0123456789",
      "D0123456789",
      "G0123456789",
      "U0123456789",
      "W0123456789",
      "T0123456789:U0123456789",
    ],
    bad: ["", "general", "#general", "c0123456789", "C", "U1:C1", `C${"1".repeat(31)}`],
  },
  whatsapp: {
    good: ["491701234567", "+491701234567", "+49 (170) 123-4567", "US.13491208655302741918"],
    bad: ["", "12", "1".repeat(16), "49170x", "US.", "usa.1", `US.${"1".repeat(129)}`],
  },
  signal: {
    good: ["+491701234567", "491701234567", PERSON, GROUP],
    bad: ["", "12", "1".repeat(16), "group.", "group.a b", PERSON.slice(1)],
  },
  cli: { good: [PERSON], bad: ["", "me", `${PERSON}0`] },
};

describe("The id of a chat", () => {
  for (const [platform, { good, bad }] of Object.entries(IDS)) {
    if (!isPlatform(platform)) throw new TypeError(`There is no platform ${platform}`);
    it(`of ${platform} is one that the platform can have`, () => {
      expect(good.filter((id) => !isChatId(platform, id))).toEqual([]);
      expect(bad.filter((id) => isChatId(platform, id))).toEqual([]);
    });
  }
});
