import { LETTER_FILES, SHOP_CHANGES, SHOP_FILES } from "./files.ts";
import type { Person } from "./person.ts";
import { CART, GUIDE, IMPORT, LETTER, SEASONS } from "./talks.ts";
import type { Talk } from "../model.ts";

export interface Made {
  id: string;
  slug: string;
}

/** A chat by what its address has. */
interface ChatPlace {
  project: string;
  id: string;
}

/** Projects with chats, runs, commits, snapshots and containers. */
export async function newProjects(owner: Person) {
  const newProject = async (name: string, files: Readonly<Record<string, string>>) => {
    const made = await owner.ask<Made>("POST", "/api/projects", { name, source_type: "empty" });
    await owner.write(made.id, files);
    return made;
  };
  const asleep = await newProject("Field notes", { "notes.md": "# Notes\n" });
  await owner.ask("POST", `/api/projects/${asleep.id}/start`);
  const empty = await newProject("Sandbox", {});
  const letter = await newProject("Newsletter", LETTER_FILES);
  const shop = await newProject("Garden shop", SHOP_FILES);
  await addContainers(owner, shop);
  await inState(owner, asleep, "running");
  await owner.ask("POST", `/api/projects/${asleep.id}/hibernate`);

  const at = `/api/projects/${shop.id}`;
  await owner.ask("POST", `${at}/git/init`, {});
  await owner.ask("POST", `${at}/git/commit`, { message: "The shop as it is" });
  await owner.ask("POST", `${at}/snapshots`, { label: "before the vouchers" });
  const [cart, done] = await askAgent(owner, shop, CART);
  const [seasons] = await askAgent(owner, shop, SEASONS);
  const [refused, failed] = await askAgent(owner, shop, IMPORT);
  await owner.write(shop.id, SHOP_CHANGES);
  const snapshot = await owner.ask<{ hash: string }>("POST", `${at}/snapshots`, { label: "before the sale" });
  await owner.write(shop.id, {
    "styles.css": `${SHOP_FILES["styles.css"]}\n.sale {\n  color: #a4262c;\n}\n`,
  });
  const waits = await beginChat(owner, letter, LETTER, "ask");
  await owner.until<unknown[]>("/api/chat/agent/approvals", (found) => found.length > 0);
  const atWork = await beginChat(owner, letter, GUIDE, "allow");
  const [quiet, long] = [await newChat(owner, empty), await newChat(owner, empty)];
  await inState(owner, asleep, "hibernated");
  await inState(owner, shop, "running");
  return {
    shop: shop.slug,
    asleep: asleep.slug,
    chats: { cart, seasons, refused, waits, atWork, quiet, long },
    runs: { done, failed },
    snapshot: snapshot.hash,
  };
}

async function newChat(owner: Person, { id: project, slug }: Made): Promise<ChatPlace> {
  const { id } = await owner.ask<{ id: string }>("POST", "/api/chat", { project_id: project });
  return { project: slug, id };
}

/** Asks an agent and waits for the end. Returns the chat and the run. */
async function askAgent(owner: Person, project: Made, { question }: Talk): Promise<[ChatPlace, string]> {
  const chat = await newChat(owner, project);
  const message = { project_id: project.id, chat_id: chat.id, message: question, edit_mode: "allow" };
  const { task_id: run } = await owner.ask<{ task_id: string }>("POST", "/api/chat/agent", message);
  return [chat, run];
}

async function beginChat(owner: Person, project: Made, { question }: Talk, mode: "ask" | "allow") {
  const chat = await newChat(owner, project);
  await owner.begin({ project_id: project.id, chat_id: chat.id, message: question, edit_mode: mode });
  return chat;
}

async function inState(owner: Person, { id }: Made, wanted: string): Promise<void> {
  await owner.until<{ state: string }>(`/api/projects/${id}/status`, ({ state }) => state === wanted);
}

async function addContainers(owner: Person, { id }: Made): Promise<void> {
  const add = (json: object) => owner.ask("POST", `/api/projects/${id}/containers`, json);
  await add({ name: "web", directory: "." });
  await add({
    name: "orders",
    directory: "src",
    startup_command: "while true; do echo 'GET /orders 200 in 12 ms'; sleep 5; done",
    environment_vars: { ORDERS_KEY: "not-shown", TIME_ZONE: "Europe/Berlin" },
  });
  await owner.ask("POST", `/api/projects/${id}/start`);
}
