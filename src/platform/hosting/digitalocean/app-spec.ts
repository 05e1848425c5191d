import { HostingFailure } from "../failure.ts";
import type { Release, ReleaseSource } from "../hosting.ts";

/**
 * Frameworks whose result is a program that runs. Everything else is a static site, which costs nothing: a program that is
 * taken for one fails visibly, while a site that is taken for a program costs money silently.
 */
const PROGRAMS: ReadonlySet<string> = new Set(
  (
    "axum django express fastapi fastify flask gin go hapi hono koa laravel nest nestjs next next.js nextjs node nodejs nuxt " +
    "nuxt.js nuxtjs php python rails remix ruby rust sinatra spring spring-boot sveltekit"
  ).split(" "),
);

/** Hosts whose private repositories DigitalOcean fetches, once the account is connected to them. */
const CONNECTED: ReadonlyMap<string, "github" | "gitlab" | "bitbucket"> = new Map([
  ["github.com", "github"],
  ["gitlab.com", "gitlab"],
  ["bitbucket.org", "bitbucket"],
]);

/** Describes an app with one component. Source: digitalocean/godo, apps.gen.go, `AppSpec`. */
export function appSpec({ site, env, framework, buildCommand, outputDirectory, source }: Release) {
  if (!source) {
    throw new HostingFailure(
      "refused",
      "DigitalOcean fetches a project by git: connect it to a repository first",
    );
  }
  const isProgram = PROGRAMS.has((framework ?? "").toLowerCase());
  const component = {
    name: "web",
    ...fetchedFrom(source),
    ...(buildCommand !== null && { build_command: buildCommand }),
    envs: Object.entries(env).map(([key, value]) => ({
      key,
      value,
      scope: "RUN_AND_BUILD_TIME",
      type: "SECRET",
    })),
  };
  return {
    name: site.name,
    ...(isProgram
      ? { services: [{ ...component, http_port: 8080, instance_count: 1 }] }
      : {
          static_sites: [{ ...component, ...(outputDirectory !== null && { output_dir: outputDirectory }) }],
        }),
  };
}

function fetchedFrom({ url, branch, isPrivate }: ReleaseSource) {
  if (!isPrivate) return { git: { repo_clone_url: url, branch } };
  const remote = URL.parse(url);
  const host = CONNECTED.get(remote?.hostname ?? "");
  if (!remote || !host) {
    throw new HostingFailure(
      "refused",
      "DigitalOcean fetches private repositories from GitHub, GitLab and Bitbucket only",
    );
  }
  const repo = remote.pathname.replace(/^\//u, "").replace(/(\.git)?\/?$/u, "");
  return { [host]: { repo, branch, deploy_on_push: false } };
}
