import { afterAll, beforeAll } from "vitest";
import { createHosting } from "#src/platform/hosting/index.ts";
import type { HostingName } from "#src/platform/hosting/hosting.ts";
import {
  fakeCloudflare,
  fakeDigitalOcean,
  fakeHeroku,
  fakeNetlify,
  fakeVercel,
  newState,
  type FakeState,
} from "./support/fake-providers.ts";
import { startFakeServer, type FakeServer } from "./support/fake-server.ts";
import { testOptions } from "./support/options.ts";
import { hostingContract, type HostingControls } from "./support/hosting-contract.ts";

const TOKEN = 'standin_canary-"token"-0815';
const states = {
  vercel: newState(),
  netlify: newState(),
  cloudflare: newState(),
  heroku: newState(),
  digitalocean: newState(),
} satisfies Record<HostingName, FakeState>;

let server: FakeServer;
beforeAll(async () => {
  server = await startFakeServer(
    {
      "/vercel": fakeVercel(states.vercel),
      "/netlify/api/v1": fakeNetlify(states.netlify),
      "/cloudflare/client/v4": fakeCloudflare(states.cloudflare),
      "/heroku": fakeHeroku(states.heroku, () => server.url),
      "/digitalocean": fakeDigitalOcean(states.digitalocean),
    },
    TOKEN,
  );
});
afterAll(() => server.close());

function controlsOf(name: HostingName): HostingControls {
  const state = states[name];
  let from = server.requests.length;
  const calls = () => server.requests.slice(from).map(({ method, path }) => `${method} ${path}`);
  const named = (id: string) => state.sites.get(id) ?? id;
  const of = (site: { id: string; name: string }) =>
    state.deployments.filter(({ site: id }) => id === site.id || named(id) === site.name);
  return {
    calls,
    fail: (call, fault) =>
      server.fail(() => call === -1 || server.requests.length - 1 === from + call, fault),
    reset() {
      server.heal();
      from = server.requests.length;
    },
    sites: () => [...state.sites.values()],
    deployments: (site) => of(site).length,
    served: (site) => (name === "digitalocean" ? of(site)[0] : of(site).at(-1))?.files,
    uploads: () => state.uploads,
    env: () => state.env,
  };
}

const controls = new Map<HostingName, HostingControls>();
const known = (name: HostingName) => {
  const made = controls.get(name) ?? controlsOf(name);
  controls.set(name, made);
  return made;
};

for (const name of ["vercel", "netlify", "cloudflare", "heroku", "digitalocean"] as const) {
  hostingContract({
    name,
    hosting: () => createHosting(testOptions({ standinUrl: server.url })),
    access: () => ({
      token: TOKEN,
      isStandin: true,
      metadata: name === "cloudflare" ? { account_id: "account-1" } : {},
    }),
    controls: () => known(name),
    fromGit: name === "digitalocean",
    madeByPublishing: name === "digitalocean" || name === "cloudflare",
  });
}
