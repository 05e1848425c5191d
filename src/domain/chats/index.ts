export { projectOfChat } from "./project-of-chat.ts";
