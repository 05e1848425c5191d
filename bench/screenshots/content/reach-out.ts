import type { Addresses } from "#local/addresses.ts";
import { ChatPlatform } from "#test/support/chat-platform.ts";
import { newRawClient } from "#test/support/oauth-client.ts";
import { apiClient } from "#test/support/api-client.ts";
import { codeIn } from "#test/support/telegram-channel.ts";
import type { Person } from "./person.ts";
import { REPORT } from "./talks.ts";

/** What goes to other services, and comes from them: keys, models, agents, a channel, a schedule, deployments. */
export async function reachOut({ url, chatPlatformUrl = "" }: Addresses, owner: Person, shop: string) {
  const { id: project } = await owner.ask<{ id: string }>("GET", `/api/projects/${shop}`);
  await owner.ask("POST", "/api/external-api-keys", { name: "Nightly checks", project_id: project });
  await owner.ask("POST", "/api/external-api-keys", { name: "Phone of Ada" });
  await owner.ask("POST", "/api/secrets/api-keys", {
    provider: "openai",
    api_key: "sk-proj-0123456789abcdef",
    key_name: "Of the cooperative",
  });
  await owner.ask("POST", "/api/secrets/providers/custom", {
    name: "Models of the university",
    slug: "university",
    base_url: "https://models.university.example/v1",
    available_models: ["small", "large"],
  });
  const agent = await owner.ask<{ id: string }>("POST", "/api/agents", {
    name: "Reviewer",
    description: "Reads a change as a careful colleague would, and writes nothing.",
    system_prompt: "You review changes of the shop. Name what is wrong, and where. Change nothing.",
    tools: ["read_file", "grep", "git_diff"],
  });
  const { agents } = await owner.ask<{ agents: { id: string; slug: string }[] }>(
    "GET",
    "/api/marketplace/agents",
  );
  const librarian = agents.find(({ slug }) => slug === "librarian");
  if (librarian) {
    await owner.ask("POST", "/api/marketplace/purchase", { agent_id: librarian.id });
    const review = new URLSearchParams({ rating: "4", comment: "Finds what we wrote down years ago." });
    await owner.ask("POST", `/api/marketplace/agents/${librarian.id}/review?${review.toString()}`);
  }
  await connectApp(url, owner);
  return {
    agent: agent.id,
    channel: await newChannel(chatPlatformUrl, owner, project),
    schedule: await newSchedule(owner, project),
    deployment: await deploy(owner, project),
  };
}

/** A client of MCP that the owner let in. */
async function connectApp(url: string, owner: Person): Promise<void> {
  const client = await newRawClient(apiClient(url));
  const requests = "/api/auth/connected-apps/requests";
  const asked = Object.fromEntries(client.asking());
  const { request } = await owner.ask<{ request: { id: string; scopes: { value: string }[] } }>(
    "POST",
    requests,
    asked,
  );
  const scopes = request.scopes.map(({ value }) => value);
  const { redirect_to: back } = await owner.ask<{ redirect_to: string }>(
    "POST",
    `${requests}/${request.id}/decide`,
    { decision: "allow", scopes },
  );
  await client.exchange(new URL(back).searchParams.get("code") ?? "");
}

async function newChannel(platformUrl: string, owner: Person, project: string): Promise<string> {
  const channel = await owner.ask<{ id: string; bot_name: string }>("POST", "/api/channels", {
    channel_type: "telegram",
    name: "Garden bot",
    credentials: { bot_token: `standin:${crypto.randomUUID()}` },
    project_id: project,
  });
  const platform = new ChatPlatform(platformUrl);
  const bots = await platform.ask<{ id: number; username: string }[]>("/bots");
  const bot = bots.find(({ username }) => username === channel.bot_name);
  const { id } = await platform.person("Ada");
  const chat = platform.chat(bot?.id ?? 0, id, id);
  await chat.say("hello");
  await owner.ask("POST", "/api/gateway/pair/verify", {
    platform: "telegram",
    pairing_code: await codeIn(chat),
  });
  await chat.say(REPORT.question);
  await chat.until(({ messages }) => messages.find(({ message }) => message.text?.includes("Sold out")));
  return channel.id;
}

async function newSchedule(owner: Person, project: string): Promise<string> {
  const add = (json: object) =>
    owner.ask<{ id: string }>("POST", "/api/schedules", {
      project_id: project,
      timezone: "Europe/Berlin",
      ...json,
    });
  const { id } = await add({ name: "What is sold out", schedule: "0 7 * * 1-5", prompt: REPORT.question });
  const other = await add({
    name: "Letter of the month",
    schedule: "0 9 1 * *",
    prompt: "Draft the letter of this month from the notes.",
  });
  await owner.ask("POST", `/api/schedules/${other.id}/pause`);
  await owner.ask("POST", `/api/schedules/${id}/trigger`);
  await owner.until<{ status: string }[]>(`/api/schedules/${id}/runs`, ([run]) => run?.status === "success");
  return id;
}

async function deploy(owner: Person, project: string): Promise<string> {
  await owner.ask("POST", "/api/deployment-credentials", {
    provider: "netlify",
    access_token: `standin_${owner.account.username}`,
  });
  const { id } = await owner.ask<{ id: string }>("POST", "/api/deployments", {
    project_id: project,
    provider: "netlify",
  });
  await owner.until<{ status: string }>(`/api/deployments/${id}`, ({ status }) => status === "success");
  return id;
}
