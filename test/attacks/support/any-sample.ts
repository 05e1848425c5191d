import type { Samples } from "#test/surface/estate.ts";

/** Parameters that take a few words alone: another one makes another route of it. */
const WORDS: Samples = {
  provider: "github",
  git_host: "gitlab",
  hosting_provider: "vercel",
  script: "login.js",
};

/** A value for every parameter and field that names no resource: for refusals that come before any lookup. */
export const ANY_SAMPLE: Samples = new Proxy(WORDS, {
  get: (words, name) => Reflect.get(words, name) ?? "01890000-0000-7000-8000-000000000000",
});
