import type { ApiEnvironment, Button, OutgoingText, Place, ReceivedClick } from "#src/channels/channel.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { createGuardedFetch } from "#src/platform/safe-fetch/guarded-fetch.ts";

const NOWHERE = "http://127.0.0.1:9";

/** What calls at a platform that runs on this machine need. */
export function environmentOf(parts: Partial<ApiEnvironment> = {}): ApiEnvironment {
  return {
    baseUrls: { telegram: NOWHERE, slack: NOWHERE, discord: NOWHERE, whatsapp: NOWHERE },
    fetch: (input, init) => fetch(input, init),
    guardedFetch: createGuardedFetch({ allowPrivate: true, allowedOrigins: [] }),
    terminals: {
      async push() {
        throw new Error("No terminal");
      },
    },
    ...parts,
  };
}

/** The same, for a platform at another address. */
export function environmentAt(platform: "discord" | "slack" | "whatsapp", url: string): ApiEnvironment {
  const environment = environmentOf();
  return { ...environment, baseUrls: { ...environment.baseUrls, [platform]: url } };
}

/** A text to be sent, as plain as it may be. */
export function outgoingText(place: Place, markup: string, parts: Partial<OutgoingText> = {}): OutgoingText {
  return {
    place,
    text: { markup, plain: markup },
    replyTo: undefined,
    replyTarget: undefined,
    buttons: [],
    isSilent: false,
    nonce: crypto.randomUUID().slice(0, 25),
    ...parts,
  };
}

export function button(label: string, data = label): Button {
  return { label, data, style: undefined };
}

/** A press of a button. */
export function clickOn(messageId: string, place: Place, confirmation: string): ReceivedClick {
  const sender = { id: "1", alternateId: undefined, name: "Ann" };
  return { kind: "click", id: "1", place, sender, data: "yes", messageId, confirmation };
}

export function dm(chatId: string): Place {
  return { chatId, chatType: "dm", threadId: undefined };
}

/** The failure that a call ends with; every other outcome fails the test, and so does a call that the platform lacks. */
export async function failureOf(call: Promise<unknown> | undefined): Promise<PlatformFailure> {
  const outcome = await call?.then(
    (value: unknown) => ({ value }),
    (error: unknown) => error,
  );
  if (outcome instanceof PlatformFailure) return outcome;
  throw new Error("Expected a PlatformFailure", { cause: outcome });
}
