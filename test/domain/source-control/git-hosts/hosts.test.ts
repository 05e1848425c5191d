import { expect, it } from "vitest";
import { hostAt } from "#src/domain/source-control/git-hosts/hosts.ts";
import type { GitHosts } from "#src/platform/git-hosts/git-host.ts";
import { partOf } from "#test/support/part-of.ts";

const gitHosts = partOf<GitHosts>({
  github: { origin: "https://github.com" },
  gitlab: { origin: "https://gitlab.com" },
  bitbucket: { origin: "https://bitbucket.org" },
});

it.each([
  ["https://github.com/ada/app.git", "github"],
  ["https://gitlab.com/group/subgroup/app", "gitlab"],
  ["https://github.com.attacker.example/ada/app.git", undefined],
  ["https://github.community/ada/app.git", undefined],
  ["https://github.com:8443/ada/app.git", undefined],
  ["http://github.com/ada/app.git", undefined],
  ["https://attacker.example/https://github.com/ada/app.git", undefined],
  ["no address", undefined],
])("the host that a person's token is sent to, for %s, is %s", (url, host) => {
  expect(hostAt(gitHosts, url)).toBe(host);
});
