import { PROVIDER_KEY } from "#test/support/model-servers.ts";
import type { Script } from "#test/support/scripted-provider.ts";

const usage = { input: 1000, output: 500 };

/** What a provider answers behind the proxy: an answer, or one of its faults, by what is said to it. */
export const PROVIDER_SCRIPT: Script = {
  "how is the weather": [
    { calls: [{ name: "weather", arguments: { place: "Bonn" } }], usage },
    { text: ["It rains in Bonn."], usage },
  ],
  "too often": { refusal: { status: 429, message: "Slow down", retryAfter: 7 } },
  broken: { refusal: { status: 500, message: `Server error for ${PROVIDER_KEY}` } },
  "wrong key": { refusal: { status: 401, message: `Incorrect API key: ${PROVIDER_KEY}` } },
  nonsense: { refusal: { status: 400, message: "temperature: no" } },
  "hold on": { text: ["Hel"], stops: "hold" },
  "break off": { text: ["Hel"], stops: "break" },
  "": { text: ["Hello ", "to you", ", too", "."], usage },
};
