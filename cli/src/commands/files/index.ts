import { group } from "../../command.ts";
import { cat } from "./cat.ts";
import { list } from "./list.ts";
import { pull, push } from "./sync.ts";

export const files = group("files", "List, read, pull and push a project's files", {
  ls: list,
  cat,
  pull,
  push,
});
