package millrace.interop;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Drives the real message store for another program: one request a line on standard input, one answer a line on
 * standard output. Requests name their store; those of one store are answered in order, stores do not wait for each
 * other.
 *
 * <p>{@code {"id": 7, "op": "open", "store": "a", "directory": "…", "config": {…}}} is answered by
 * {@code {"id": 7, "result": …}} or {@code {"id": 7, "error": "…"}}. The process ends with its input.
 */
public final class StorePeer {
    private static final int HALTED = 137;

    private final Gson gson = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();
    private final Map<String, OpenStore> stores = new ConcurrentHashMap<>();
    private final Map<String, ExecutorService> threads = new ConcurrentHashMap<>();
    private final PrintStream output;

    private StorePeer(PrintStream output) {
        this.output = output;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        PrintStream output = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        // Whatever the store's own logging prints must not mix with the answers.
        System.setOut(System.err);
        StorePeer peer = new StorePeer(output);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            JsonObject request = JsonParser.parseString(line).getAsJsonObject();
            peer.threadOf(request).execute(() -> peer.answer(request));
        }
        // Threads of stores that were left open would keep the process.
        System.exit(0);
    }

    private ExecutorService threadOf(JsonObject request) {
        return threads.computeIfAbsent(request.get("store").getAsString(), name -> Executors.newSingleThreadExecutor());
    }

    private void answer(JsonObject request) {
        JsonObject answer = new JsonObject();
        answer.add("id", request.get("id"));
        try {
            answer.add("result", perform(request));
        } catch (Throwable failure) {
            answer.addProperty("error", failure.toString());
            failure.printStackTrace();
        }
        synchronized (output) {
            output.println(gson.toJson(answer));
            output.flush();
        }
    }

    private JsonElement perform(JsonObject request) throws Exception {
        String operation = request.get("op").getAsString();
        switch (operation) {
            case "open":
                return open(request);
            case "put":
                return new StoreWriter(store(request)).putAll(messages(request));
            case "putBatch":
                return new StoreWriter(store(request)).putBatch(messages(request));
            case "settle":
                return store(request).settle();
            case "list":
                return new StoreLister(store(request)).list();
            case "get":
                return new StoreReader(store(request)).getAll(request.getAsJsonArray("requests"));
            case "query":
                return new StoreReader(store(request)).queryAll(request.getAsJsonArray("requests"));
            case "offsetsByTime":
                return new StoreReader(store(request)).offsetsByTime(request.getAsJsonArray("requests"));
            case "close":
                stores.remove(request.get("store").getAsString()).close();
                return new JsonObject();
            case "halt":
                // As when the process is killed: no hook runs, nothing is flushed.
                Runtime.getRuntime().halt(HALTED);
                throw new IllegalStateException("halted");
            default:
                throw new IllegalArgumentException("no operation " + operation);
        }
    }

    private JsonElement open(JsonObject request) throws Exception {
        String directory = request.get("directory").getAsString();
        OpenStore store = OpenStore.open(directory, request.getAsJsonObject("config"));
        stores.put(request.get("store").getAsString(), store);
        return new JsonObject();
    }

    private OpenStore store(JsonObject request) {
        String name = request.get("store").getAsString();
        OpenStore store = stores.get(name);
        if (store == null) {
            throw new IllegalStateException("store " + name + " is not open");
        }
        return store;
    }

    private static JsonArray messages(JsonObject request) {
        return request.getAsJsonArray("messages");
    }
}
