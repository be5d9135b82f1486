package millrace.interop;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
// Some of these classes have moved from one of these packages to another between the versions.
import org.apache.rocketmq.common.message.*;
import org.apache.rocketmq.store.*;

/**
 * Measures the real message store for a benchmark: one order a line on standard input, its nanoseconds and
 * those of all processors on standard output.
 * Arguments are the directory, the settings as JSON, and the length of bodies.
 *
 * <p>{@code put FIRST COUNT PRODUCERS BATCH} ends with the last acknowledgement, {@code dispatch} like it when queues and
 * index have followed; {@code get COUNT} and {@code query COUNT STORED} read; {@code close} and {@code recover} close and
 * load the store, the latter as after a crash.
 */
public final class StoreBench {
    private static final OperatingSystemMXBean SYSTEM =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final String TOPIC = "bench";
    private static final int QUEUES = 4;
    private static final int READ_COUNT = 32;
    /** Neighbouring queries ask for keys that are far apart. */
    private static final int KEY_STEP = 7919;

    private final String directory;
    private final JsonObject settings;
    private final byte[] body;
    private final SocketAddress host = new InetSocketAddress("127.0.0.1", 10911);
    private OpenStore open;

    private StoreBench(String directory, JsonObject settings, int length) throws Exception {
        this.directory = directory;
        this.settings = settings;
        body = new byte[length];
        Arrays.fill(body, (byte) 'A');
        open = OpenStore.open(directory, settings);
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream output = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        // Whatever the store's own logging prints must not mix with the answers.
        System.setOut(System.err);
        JsonObject settings = JsonParser.parseString(arguments[1]).getAsJsonObject();
        StoreBench bench = new StoreBench(arguments[0], settings, Integer.parseInt(arguments[2]));
        output.println("ready");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            long cpu = SYSTEM.getProcessCpuTime();
            long elapsed = bench.obey(line.split(" "));
            output.println(elapsed + " " + (SYSTEM.getProcessCpuTime() - cpu));
        }
        System.exit(0);
    }

    private long obey(String[] order) throws Exception {
        int[] numbers = Arrays.stream(order).skip(1).mapToInt(Integer::parseInt).toArray();
        long start = System.nanoTime();
        switch (order[0]) {
            case "put":
                put(numbers[0], numbers[1], numbers[2], numbers[3]);
                break;
            case "dispatch":
                put(numbers[0], numbers[1], numbers[2], numbers[3]);
                while (open.store.dispatchBehindBytes() > 0) {
                    Thread.onSpinWait();
                }
                break;
            case "get":
                get(numbers[0]);
                break;
            case "query":
                query(numbers[0], numbers[1]);
                break;
            case "close":
                open.close();
                break;
            case "recover":
                return recover();
            default:
                throw new IllegalArgumentException("no order " + order[0]);
        }
        return System.nanoTime() - start;
    }

    private void put(int first, int count, int producers, int batch) throws Exception {
        if (producers == 1) {
            putAll(first, count, batch);
            return;
        }
        ExecutorService threads = Executors.newFixedThreadPool(producers);
        try {
            List<Future<?>> running = new ArrayList<>();
            int share = count / producers;
            for (int producer = 0; producer < producers; producer++) {
                int from = first + producer * share;
                running.add(threads.submit(() -> {
                    putAll(from, share, batch);
                    return null;
                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
        } finally {
            threads.shutdown();
        }
    }

    private void putAll(int first, int count, int batch) throws Exception {
        for (int number = first; number < first + count; number += batch) {
            PutMessageResult result = batch == 1
                ? open.store.putMessage(message(number))
                : open.store.putMessages(batchOf(number, batch));
            if (!result.isOk()) {
                throw new IOException("a put ended with " + result.getPutMessageStatus());
            }
        }
    }

    private MessageExtBrokerInner message(int number) {
        MessageExtBrokerInner message = new MessageExtBrokerInner();
        fill(message, number);
        message.setBody(body);
        MessageAccessor.setProperties(message, properties(number));
        message.setPropertiesString(MessageDecoder.messageProperties2String(message.getProperties()));
        return message;
    }

    private MessageExtBatch batchOf(int first, int count) {
        List<Message> parts = new ArrayList<>(count);
        for (int number = first; number < first + count; number++) {
            Message part = new Message(TOPIC, body);
            MessageAccessor.setProperties(part, properties(number));
            parts.add(part);
        }
        MessageExtBatch batch = new MessageExtBatch();
        fill(batch, first / count);
        batch.setBody(MessageDecoder.encodeMessages(parts));
        MessageAccessor.setProperties(batch, new HashMap<>());
        return batch;
    }

    private void fill(MessageExt message, int number) {
        message.setTopic(TOPIC);
        message.setQueueId(number % QUEUES);
        message.setBornTimestamp(System.currentTimeMillis());
        message.setBornHost(host);
        message.setStoreHost(host);
    }

    private static Map<String, String> properties(int number) {
        Map<String, String> properties = new HashMap<>();
        properties.put(MessageConst.PROPERTY_KEYS, "key" + number);
        properties.put(MessageConst.PROPERTY_TAGS, "TagA");
        return properties;
    }

    private void get(int count) {
        int queueId = 0;
        long offset = 0;
        for (int done = 0; done < count;) {
            GetMessageResult result = open.store.getMessage("bench", TOPIC, queueId, offset, READ_COUNT, null);
            int found = 0;
            for (SelectMappedBufferResult one : result.getMessageMapedList()) {
                found += MessageDecoder.decode(one.getByteBuffer()) == null ? 0 : 1;
            }
            result.release();
            done += found;
            offset = result.getNextBeginOffset();
            if (found == 0) {
                queueId = (queueId + 1) % QUEUES;
                offset = 0;
            }
        }
    }

    private void query(int count, int stored) {
        for (int done = 0; done < count; done++) {
            String key = "key" + (int) ((long) done * KEY_STEP % stored);
            QueryMessageResult result = open.store.queryMessage(TOPIC, key, 1, 0, Long.MAX_VALUE);
            if (result.getMessageBufferList().isEmpty()) {
                throw new IllegalStateException(key + " was not found");
            }
            result.getMessageBufferList().forEach(MessageDecoder::decode);
            result.release();
        }
    }

    /** Loads a store that was closed as one that was not. */
    private long recover() throws Exception {
        if (!new File(directory, "abort").createNewFile()) {
            throw new IOException("the store was not closed");
        }
        DefaultMessageStore store = OpenStore.make(directory, settings);
        long start = System.nanoTime();
        boolean isLoaded = store.load();
        long elapsed = System.nanoTime() - start;
        store.shutdown();
        new File(directory, "abort").delete();
        if (!isLoaded) {
            throw new IOException("load answered false");
        }
        return elapsed;
    }
}
