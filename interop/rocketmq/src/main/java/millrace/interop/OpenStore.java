package millrace.interop;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.common.BrokerConfig;
import org.apache.rocketmq.store.DefaultMessageStore;
import org.apache.rocketmq.store.MessageArrivingListener;
import org.apache.rocketmq.store.config.MessageStoreConfig;
import org.apache.rocketmq.store.stats.BrokerStatsManager;

/** A message store of RocketMQ that has been loaded and started. */
final class OpenStore {
    private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(20);

    final DefaultMessageStore store;

    private OpenStore(DefaultMessageStore store) {
        this.store = store;
    }

    /** A store that has neither been loaded nor started. */
    static DefaultMessageStore make(String directory, JsonObject settings) throws Exception {
        MessageStoreConfig config = new MessageStoreConfig();
        config.setStorePathRootDir(directory);
        config.setStorePathCommitLog(directory + "/commitlog");
        config.setHaListenPort(0);
        for (Map.Entry<String, JsonElement> setting : settings.entrySet()) {
            set(config, setting.getKey(), setting.getValue().getAsString());
        }
        return construct(config, topicsOf(directory));
    }

    static OpenStore open(String directory, JsonObject settings) throws Exception {
        DefaultMessageStore store = make(directory, settings);
        if (!store.load()) {
            store.shutdown();
            throw new IllegalStateException("load answered false");
        }
        try {
            store.start();
        } catch (Exception refused) {
            // As a broker does that cannot start.
            store.shutdown();
            throw refused;
        }
        OpenStore opened = new OpenStore(store);
        opened.settle();
        return opened;
    }

    /** Waits until everything that is stored has been dispatched, and answers how far that is. */
    JsonObject settle() throws InterruptedException {
        long start = System.nanoTime();
        while (store.dispatchBehindBytes() > 0) {
            if (System.nanoTime() - start > SETTLE_NANOS) {
                throw new IllegalStateException("dispatch is " + store.dispatchBehindBytes() + " bytes behind");
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
        JsonObject state = new JsonObject();
        state.addProperty("minPosition", store.getMinPhyOffset());
        state.addProperty("maxPosition", store.getMaxPhyOffset());
        return state;
    }

    /** Shuts the store down as a broker does that is told to stop. */
    void close() throws InterruptedException {
        settle();
        store.flush();
        store.shutdown();
    }

    /** From 5.2.0 on the constructor also takes the table of topics. */
    private static DefaultMessageStore construct(MessageStoreConfig config, Map<?, ?> topics) throws Exception {
        BrokerStatsManager statistics = new BrokerStatsManager("interop", false);
        MessageArrivingListener listener = (topic, queueId, offset, tagsCode, time, bitMap, properties) -> { };
        for (Constructor<?> constructor : DefaultMessageStore.class.getConstructors()) {
            Object[] arguments = {config, statistics, listener, new BrokerConfig(), topics};
            int count = constructor.getParameterCount();
            if (count == 4 || count == 5) {
                Object[] taken = Arrays.copyOf(arguments, count);
                try {
                    return (DefaultMessageStore) constructor.newInstance(taken);
                } catch (InvocationTargetException wrapped) {
                    throw new IllegalStateException(wrapped.getCause());
                }
            }
        }
        throw new IllegalStateException("no constructor of the message store is known");
    }

    /** The table of topics that a broker reads before it opens the store. Only from 5.0 on the store asks for it. */
    private static Map<?, ?> topicsOf(String directory) throws Exception {
        Path file = Path.of(directory, "config", "topics.json");
        String wrapper = "org.apache.rocketmq.remoting.protocol.body.TopicConfigSerializeWrapper";
        if (!Files.exists(file) || OpenStore.class.getResource("/" + wrapper.replace('.', '/') + ".class") == null) {
            return new ConcurrentHashMap<>();
        }
        Class<?> type = Class.forName(wrapper);
        Object topics = type.getMethod("fromJson", String.class, Class.class).invoke(null, Files.readString(file), type);
        return (Map<?, ?>) type.getMethod("getTopicConfigTable").invoke(topics);
    }

    private static void set(MessageStoreConfig config, String name, String value) throws Exception {
        String setter = "set" + Character.toUpperCase(name.charAt(0)) + name.substring(1);
        for (Method method : MessageStoreConfig.class.getMethods()) {
            if (method.getName().equals(setter) && method.getParameterCount() == 1) {
                Class<?> type = method.getParameterTypes()[0];
                if (type == int.class) {
                    method.invoke(config, Integer.parseInt(value));
                } else if (type == long.class) {
                    method.invoke(config, Long.parseLong(value));
                } else if (type == boolean.class) {
                    method.invoke(config, Boolean.parseBoolean(value));
                } else if (type == String.class) {
                    method.invoke(config, value);
                } else {
                    continue;
                }
                return;
            }
        }
        throw new IllegalArgumentException("the message store has no setting " + name);
    }
}
