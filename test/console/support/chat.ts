import type { Page } from "@playwright/test";
import type { SharedService } from "#test/support/shared-service.ts";
import { openPage } from "./console.ts";
import { expectPage } from "./open-console.ts";
import { openProject } from "./project.ts";

export const log = (page: Page) => page.getByRole("log");
export const composer = (page: Page) => page.getByLabel("Message the agent");
/** What the agent said; a message that asks for it has the same words. */
export const answer = (page: Page, text: string) => page.locator(".markdown", { hasText: text });

/** A new chat of a project. Returns its id. */
export async function newChat(
  service: SharedService,
  token: string,
  fields: { project_id: string; title?: string },
): Promise<string> {
  const { body } = await service.call<{ id: string }>("POST", "/api/chat", { token, json: fields });
  return body.id;
}

/** The page of a chat in a new person's project. */
export async function openChat(service: SharedService, options: { mayComplain?: boolean } = {}) {
  const project = await openProject(service);
  const { account, client, home } = project;
  const chat = await newChat(service, account.token, { project_id: client.projectId });
  const opened = await openPage(service, { ...options, account, path: `${home}/chats/${chat}` });
  await expectPage(composer(opened.page)).toBeFocused();
  return { ...project, ...opened, token: account.token, project: client.projectId, chat };
}
