import { z } from "zod";
import * as channels from "#src/domain/messaging/channels/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AgentId } from "#src/http/schemas.ts";
import {
  Channel,
  ChannelParams,
  Credentials,
  describeChannel,
  followChannel,
  pathsOf,
  Settings,
  settingsOf,
} from "./channel.ts";

const None = z.literal("");

const Body = Settings.extend({
  credentials: Credentials.nullish().describe(
    "Replace those of the same names; the others stay. A masked value is refused",
  ),
  project_id: z.union([z.uuid(), None]).nullish().describe('`""` for none'),
  default_agent_id: z.union([AgentId, None]).nullish().describe('`""` for none'),
  is_active: z.boolean().nullish().describe("true makes a deleted channel active again"),
});

export const updateChannel = endpoint({
  operationId: "updateChannel",
  method: "patch",
  ...pathsOf("/:channel"),
  summary: "Update a messaging channel",
  description:
    "Fields that are absent or null are unchanged. New credentials are shown to the platform as on creation.",
  tag: "Channels",
  access: { user: "any" },
  params: ChannelParams,
  example: { name: "Support" },
  body: Body,
  response: { status: 200, schema: Channel },
  async handler(call) {
    const { services, caller, params, body, client } = call;
    const change = {
      ...settingsOf(body),
      credentials: body.credentials ?? undefined,
      projectId: idOf(body.project_id),
      defaultAgentId: idOf(body.default_agent_id),
      isActive: body.is_active ?? undefined,
    };
    const changed = await channels.updateChannel(services, caller, params.channel, change, client);
    followChannel(call, changed.channel);
    return describeChannel(changed);
  },
});

/** Undefined for an unchanged id, null for none. */
function idOf(given: string | null | undefined): string | null | undefined {
  return given === "" ? null : (given ?? undefined);
}
