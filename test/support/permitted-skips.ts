/** What may be skipped with REQUIRE_ALL=1, as `.ci/run` sets it, and why. What else tests need, `.ci/run` installs. */
export const PERMITTED_SKIPS: readonly PermittedSkip[] = [
  {
    tests: /^test\/sandbox\/containers\.test\.ts > /u,
    reason: "needs Docker, or a Worker on an account: `npm run test:sandbox`",
  },
  {
    tests: /^test\/sandbox\/contract\.test\.ts > the sandbox driver over scripted containers > /u,
    reason:
      "is what the workspace server does, which has a run of its own; all of it runs in `npm run test:sandbox`",
  },
  {
    tests: / > commands that may change nothing > /u,
    reason: "is one of two: a driver either refuses these commands or lets them change nothing",
  },
  {
    tests: / > is not hung by what multiplies$/u,
    reason: "needs walls around the project, which the platform makes where this driver runs",
  },
  {
    tests:
      /^test\/journeys\/project-life\.test\.ts > a project on the embedded runtime > shows its dev server/u,
    reason: "needs servers, which the embedded runtime does not run",
  },
  {
    tests:
      /^test\/platform\/hosting\/clients\.test\.ts > the client of (?:cloudflare|digitalocean) > says that a name is taken$/u,
    reason:
      "is of a name that is taken where a site is made; this provider makes it with the first deployment",
  },
  {
    tests:
      /^test\/platform\/hosting\/clients\.test\.ts > the client of digitalocean > goes on where its budget ended/u,
    reason: "is of an upload; DigitalOcean fetches the files from the git host",
  },
];

export interface PermittedSkip {
  /** Of the file and the full title of a test, joined by " > ". */
  tests: RegExp;
  /** Goes on with the title of the test. */
  reason: string;
}
