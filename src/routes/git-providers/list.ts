import { z } from "zod";
import { GIT_HOSTS, listConnections } from "#src/domain/source-control/git-hosts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ConnectionStatus, describeConnection, HOST, HostParams } from "./provider.ts";

export const listProviders = endpoint({
  operationId: "listGitHosts",
  method: "get",
  path: "/api/git-providers",
  summary: "List git hosts",
  description: "Each with whether the caller's account is connected to it.",
  tag: "Git hosts",
  access: { user: "any" },
  response: { status: 200, schema: z.object({ providers: z.array(ConnectionStatus) }) },
  handler: async ({ services, caller }) => {
    const states = await listConnections(services, caller.userId);
    return { providers: GIT_HOSTS.map((name) => describeConnection(states[name])) };
  },
});

export const getStatuses = endpoint({
  operationId: "getGitHostStatuses",
  method: "get",
  path: "/api/git-providers/status",
  summary: "List git hosts by name",
  tag: "Git hosts",
  access: { user: "any" },
  response: { status: 200, schema: z.record(z.enum(GIT_HOSTS), ConnectionStatus) },
  async handler({ services, caller }) {
    const { github, gitlab, bitbucket } = await listConnections(services, caller.userId);
    return {
      github: describeConnection(github),
      gitlab: describeConnection(gitlab),
      bitbucket: describeConnection(bitbucket),
    };
  },
});

export const getProviderStatus = endpoint({
  operationId: "getGitHostStatus",
  method: "get",
  path: `/api/git-providers/${HOST}/status`,
  summary: "Get a git host connection",
  description: "Returns whether the caller's account at this git host is connected.",
  tag: "Git hosts",
  access: { user: "any" },
  params: HostParams,
  response: { status: 200, schema: ConnectionStatus },
  async handler({ services, caller, params }) {
    const states = await listConnections(services, caller.userId);
    return describeConnection(states[params.git_host]);
  },
});
