// Makes gemini_cli.jsonl: a session as Gemini CLI's own recording service writes it.
//
//   npm install @google/gemini-cli-core@0.61.0
//   node make_gemini_cli.mjs > gemini_cli.jsonl
//
// The service is told what a scripted session does, as the chat of the CLI tells it.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const core = "@google/gemini-cli-core/dist/src/";
const { ChatRecordingService } = await import(`${core}services/chatRecordingService.js`);
const { convertToFunctionResponse } = await import(
  `${core}utils/generateContentResponseUtilities.js`
);

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-"));
const model = "gemini-2.5-pro";
const service = new ChatRecordingService({
  promptId: "5f0c1a52-0000-4000-8000-000000000001",
  config: {
    getProjectRoot: () => "/project",
    storage: { getProjectTempDir: () => folder },
    getWorkspaceContext: () => ({ getDirectories: () => [] }),
  },
  toolRegistry: { getTool: () => undefined },
});
await service.initialize();

function say(type, content, displayContent) {
  return service.recordMessage({ model, type, content, displayContent });
}

function call(id, name, args, output, status = "success") {
  const answer = status === "success" ? output : undefined;
  const result = answer
    ? convertToFunctionResponse(name, id, answer, model)
    : [{ functionResponse: { id, name, response: { error: output } } }];
  return { id, name, args, result, status, timestamp: new Date().toISOString() };
}

function round(text, calls) {
  say("gemini", text);
  service.recordToolCalls(model, calls);
  service.recordSyntheticMessage("user", calls.flatMap((made) => made.result));
}

say("user", [{ text: "Note how many lines @numbers.txt has.\n--- Content ---\n1 2 3" }], [
  { text: "Note how many lines @numbers.txt has." },
]);
service.recordThought({ subject: "Files", description: "Read it first." });
round("I look.", [
  call("call_1", "read_file", { path: "numbers.txt" }, "1\n2\n3\n"),
  call("call_2", "list_directory", { path: "." }, "numbers.txt"),
]);
round("", [call("call_3", "write_file", { path: "/no/note.txt" }, "Not allowed.", "error")]);
const wrong = say("user", [{ text: "Stop." }]);
say("gemini", "I stopped.");
service.rewindTo(wrong);
say("info", "Saved.");
round("Elsewhere, then.", [call("call_4", "write_file", { path: "note.txt" }, "Written.")]);
say("gemini", "numbers.txt has three lines.");
process.stdout.write(fs.readFileSync(service.getConversationFilePath(), "utf-8"));
