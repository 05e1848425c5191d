import { PROVIDER_KEY } from "#test/support/model-servers.ts";
import type { Script } from "#test/support/scripted-provider.ts";

/** The key that a person brings. */
export const OWN_KEY = "sk-own-abcdefghijklmnop";

const usage = { input: 1000, output: 500 };

/** What a provider answers behind the proxy: an answer, or one of its faults, by what is said to it. */
export const providerScript = (elsewhere: { origin: string }): Script => ({
  "how is the weather": [
    { calls: [{ name: "weather", arguments: { place: "Bonn" } }], usage },
    { text: ["It rains in Bonn."], usage },
  ],
  "too often": { refusal: { status: 429, message: "Slow down", retryAfter: 7 } },
  broken: { refusal: { status: 500, message: `Server error for ${PROVIDER_KEY}` } },
  "wrong key": { refusal: { status: 401, message: `Incorrect API key: ${PROVIDER_KEY}` } },
  nonsense: { refusal: { status: 400, message: "temperature: no" } },
  "refuse my own": { refusal: { status: 401, message: `Bad key ${OWN_KEY}` } },
  "show a page": (response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<html>Welcome</html>");
  },
  "point elsewhere": (response) => {
    response.writeHead(307, { location: `${elsewhere.origin}/v1/chat/completions` }).end();
  },
  "hold on": { text: ["Hel"], stops: "hold" },
  "break off": { text: ["Hel"], stops: "break" },
  // Twenty million characters.
  "without end": { text: Array.from({ length: 2000 }, () => "x".repeat(10_000)) },
  "": { text: ["Hello ", "to you", ", too", "."], usage },
});
