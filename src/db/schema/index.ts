export * from "./accounts.ts";
export * from "./api-keys.ts";
export * from "./chats.ts";
export * from "./projects.ts";
export * from "./tasks.ts";
