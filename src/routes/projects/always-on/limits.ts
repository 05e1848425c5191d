import { z } from "zod";
import { readDeployLimits } from "#src/domain/workspaces/always-on/index.ts";
import { endpoint } from "#src/http/endpoint.ts";

export const getDeployLimits = endpoint({
  operationId: "getAlwaysOnLimits",
  method: "get",
  path: "/api/projects/deployment/limits",
  summary: "Get limits of a team's projects",
  description: "Projects and always-on projects of the caller's active team, and how many it may have.",
  tag: "Projects",
  access: { userOrKey: "project.list" },
  response: {
    status: 200,
    schema: z.object({
      tier: z.enum(["free", "basic", "pro", "ultra"]),
      projects: z.object({ current: z.int(), max: z.int().describe("999999 is no limit") }),
      deploys: z.object({
        current: z.int(),
        base_max: z.int().describe("What the tier includes"),
        additional_purchased: z.int(),
        effective_max: z.int(),
      }),
      can_deploy_more: z.boolean(),
      can_create_more_projects: z.boolean(),
    }),
  },
  async handler({ services, caller }) {
    const { tier, projects, deploys } = await readDeployLimits(services, caller);
    return {
      tier,
      projects,
      deploys: {
        current: deploys.current,
        base_max: deploys.included,
        additional_purchased: deploys.bought,
        effective_max: deploys.max,
      },
      can_deploy_more: deploys.current < deploys.max,
      can_create_more_projects: projects.current < projects.max,
    };
  },
});
