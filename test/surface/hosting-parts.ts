import { vi } from "vitest";
import { z } from "zod";
import type { SharedService } from "#test/support/shared-service.ts";
import { ask, Made } from "./ask.ts";
import type { Owned } from "./owned.ts";

/** The estate whose owner has a credential at the hosting stand-in, for the project. */
export async function withHostingCredential<E extends Owned>(service: SharedService, estate: E): Promise<E> {
  const { token } = estate.owner;
  const { project_id, access_token } = estate.samples;
  const json = { provider: "vercel", access_token, project_id };
  const { id } = await ask(service, ["POST", "/api/deployment-credentials"], { token, json }, Made);
  return { ...estate, samples: { ...estate.samples, deployment_credential: id } };
}

const Deployment = z.object({ status: z.string(), error: z.string().nullable() });

/** The estate whose project is at the hosting stand-in. */
export async function withDeployment<E extends Owned>(service: SharedService, estate: E): Promise<E> {
  const connected = await withHostingCredential(service, estate);
  const { token } = connected.owner;
  const { project_id } = connected.samples;
  const json = { project_id, provider: "vercel" };
  const { id } = await ask(service, ["POST", "/api/deployments"], { token, json }, Made);
  await vi.waitUntil(
    async () => {
      const at: [string, string] = ["GET", `/api/deployments/${id}`];
      const { status, error } = await ask(service, at, { token }, Deployment);
      if (["failed", "cancelled"].includes(status)) throw new Error(`The deployment ${status}: ${error}`);
      return status === "success";
    },
    { interval: 100 },
  );
  return { ...connected, samples: { ...connected.samples, deployment: id } };
}
