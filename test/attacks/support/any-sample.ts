import type { Samples } from "#test/surface/estate.ts";

/** Parameters that take a few words alone: another one makes another route of it. */
const WORDS: Samples = { provider: "github", git_host: "gitlab", script: "login.js" };

/** A value for every parameter and field, of which nothing exists: for refusals that come before anything is looked up. */
export const ANY_SAMPLE: Samples = new Proxy(WORDS, {
  get: (words, name) => Reflect.get(words, name) ?? "01890000-0000-7000-8000-000000000000",
});
